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
    boards: (count: number) => (count === 1 ? "1 board" : `${count} boards`),
    cards: (count: number) => (count === 1 ? "1 card" : `${count} cards`),
    private: "Private",
  },
};

/** A language. */
export type Texts = typeof en;
