// Every text of the page in English. Another language is another file of this shape.

export const en = {
  product: "work-board",
  /** A title of the browser's tab. */
  title: (page: string) => `${page} · work-board`,
  skip: "Skip to content",
  loading: "Loading…",
  dismiss: "Dismiss",
  retry: "Try again",
  failures: {
    noAnswer: "The service did not answer. Check the connection, then try again.",
    other: "Something went wrong. Try again.",
  },
  theme: { light: "Light", dark: "Dark", system: "As the system" },
  frame: {
    main: "Main",
    sideBar: "Workspaces and boards",
    boards: "Boards",
    account: "Account",
    signOut: "Sign out",
  },
  signIn: {
    signIn: "Sign in",
    signUp: "Sign up",
    name: "Name",
    email: "E-mail",
    password: "Password",
    passwordHint: "At least 10 characters.",
    code: "Code",
    codeHint: "Six digits of your authenticator, or a recovery code.",
    wrong: "The e-mail address or the password is wrong.",
    wrongCode: "The code is wrong. Each code works once.",
    forgotten: "Forgotten?",
    or: "or",
    at: (provider: string) => `Continue with ${provider}`,
    isNew: "New here?",
    isKnown: "You have an account?",
    newHint: "Your first board is ready when you arrive.",
    guides: "Guides",
    atProvider: "Signing in…",
    backToSignIn: "Back to sign-in",
  },
  notFound: {
    heading: "Nothing here",
    text: "This address leads nowhere, or to something that you may not see.",
    home: "All boards",
  },
  home: {
    heading: "Boards",
    favourites: "Favourites",
    newBoard: "New board",
    newBoardIn: (workspace: string) => `New board in ${workspace}`,
    nameOfBoard: "Name of the new board",
    newWorkspace: "New workspace",
    nameOfWorkspace: "Name of the new workspace",
    create: "Create",
    cancel: "Cancel",
    none: "You are in no workspace yet. Make one, or ask for an invitation.",
    lists: ["To do", "Doing", "Done"],
    boards: (count: number) => (count === 1 ? "1 board" : `${count} boards`),
    cards: (count: number) => (count === 1 ? "1 card" : `${count} cards`),
    private: "Private",
  },
  /** The first board of a new account. Its cards teach. */
  starter: {
    workspace: (person: string) => `${person}'s workspace`,
    board: "First steps",
    label: "Try it",
    lists: ["To do", "Doing", "Done"],
    cards: [
      {
        list: 0,
        title: "Open this card",
        description:
          "A card has a title and a description, labels, people and a due date. Descriptions take *Markdown*:\n\n- click the text to edit it\n- **bold**, `code` and [links](https://www.markdownguide.org/basic-syntax/) work\n\nPress Escape to go back to the board.",
      },
      {
        list: 0,
        title: "Add a card of your own",
        description:
          "Choose *Add a card* below a list, type a title and press Enter. The field stays open for the next card. If you paste several lines, each becomes a card.",
      },
      {
        list: 0,
        title: "Walk with the arrow keys, and press E to rename",
        description: "With the focus on a card, the arrow keys go to its neighbours, Enter opens it, and E renames it.",
      },
      {
        list: 1,
        title: "Complete this card",
        description: "Open it and choose *Complete*. Completed cards stay in their list, marked with a tick.",
      },
      { list: 2, title: "Make an account", description: "", completed: true },
    ],
  },
};

/** A language. */
export type Texts = typeof en;
