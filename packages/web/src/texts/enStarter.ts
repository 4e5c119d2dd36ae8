// The first board of a new account, in English. Its cards teach.

export const starter = {
  workspace: (person: string) => `${person}'s workspace`,
  board: "First steps",
  label: "Try it",
  lists: ["To do", "Doing", "Done"],
  cards: [
    {
      list: 0,
      title: "Open this card",
      description:
        "A card has a title and a description, labels, people and a due date. Descriptions take *Markdown*:\n\n- choose the pencil to edit it\n- **bold**, `code` and [links](https://www.markdownguide.org/basic-syntax/) work\n\nPress Escape to go back to the board.",
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
};
