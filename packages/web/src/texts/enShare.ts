import { counted } from "./counted.js";

/** The texts of sharing a board in English. */
export const share = {
  heading: (board: string) => `Share ${board}`,
  byMail: "Invite by mail",
  byLink: "Invite by link",
  emails: "E-mail addresses",
  emailsHint: "Separate several by commas. Each gets a mail with a link to join.",
  noMail: "This server sends no mail: you get a link for each address, to pass on.",
  role: "Role of the invited",
  guestHere: "Guest of this board",
  invite: "Invite",
  outcomes: "Invited",
  mailed: (email: string) => `${email} is invited. The mail is on its way.`,
  link: (email: string) => `${email} is invited. No mail was sent: pass on the link.`,
  added: (email: string) => `${email} is a member already.`,
  failed: (email: string, reason: string) => `${email}: ${reason}`,
  copyInvitation: "Copy invitation",
  copyInvitationOf: (email: string) => `Copy invitation of ${email}`,
  makeLink: "Create invite link",
  linkLabel: "Invite link",
  linkHint: (workspace: string) => `Anyone with an invite link can join ${workspace} as a member.`,
  linkOpens: (workspace: string, day: string) =>
    `Anyone with this link can join ${workspace} as a member, until ${day}.`,
  copy: "Copy",
  copyLink: "Copy the invite link",
  revoke: "Revoke",
  people: "People",
  invited: "Invited",
  remove: (name: string) => `Remove ${name} from the board`,
  removeAsks: (name: string, board: string) => `Remove ${name} from ${board}?`,
  removeText: "If they can no longer see the board, they are taken off its cards, too.",
  removeAction: "Remove",
  leaveBoard: "Leave the board",
  leaveAsks: (board: string) => `Leave ${board}?`,
  leaveText: (canSee: boolean) =>
    canSee
      ? "You can still open the board, but you are no longer listed as one of its people."
      : "You lose access to the board until somebody adds you again.",
  leave: "Leave",
  add: "Add a member of the workspace",
  roleOf: (name: string) => `Role of ${name}`,
  roleQuestions: {
    heading: (name: string, role: string) => `Change the role of ${name} to ${role}?`,
    action: (role: string) => `Make ${role.toLowerCase()}`,
    promoted: (boards: number, cards: number, people: number) => [
      `An admin sees and changes everything in the workspace, private boards included: ${counted(boards, "board")} with ${counted(cards, "card")}.`,
      `An admin also invites, removes and changes the roles of others: ${counted(people, "person", "people")}.`,
    ],
    demoted: (boards: number, cards: number, people: number) => [
      `They can no longer manage the people of the workspace: ${counted(people, "person", "people")}.`,
      boards === 0
        ? "The workspace has no private board that they could lose."
        : `They lose the private boards that they are not on, and are taken off their cards. There ${boards === 1 ? "is" : "are"} ${counted(boards, "private board")} with ${counted(cards, "card")}.`,
    ],
  },
  visibility: {
    name: "Who sees the board",
    workspace: (workspace: string) => `Every member of ${workspace}`,
    private: "Only people of the board, and admins",
    public: "Everybody on the internet",
    questions: {
      private: (board: string) => `Make “${board}” private?`,
      makePrivate: "Make private",
      lose: (names: readonly string[], count: number) => {
        if (count === 0) return "Nobody in the workspace loses access.";
        const others = count > names.length ? [`${count - names.length} more`] : [];
        const all = new Intl.ListFormat("en").format([...names, ...others]);
        return `${counted(count, "person loses", "people lose")} access: ${all}.`;
      },
      noLongerPublic: "Everybody else on the internet loses access, too.",
      loseCards: (cards: number) =>
        cards === 0
          ? "They are assigned to none of its open cards."
          : `They are taken off ${counted(cards, "card")}, and off archived ones. Making the board visible again does not assign them again.`,
      public: (board: string) => `Make “${board}” public?`,
      makePublic: "Make public",
      readable: (cards: number) =>
        `Everybody on the internet can read its ${counted(cards, "card")} with descriptions and checklists, but neither comments nor the names of people.`,
      viewers: (people: number) => `Now ${counted(people, "person sees", "people see")} the board.`,
    },
  },
  copyBoard: "Copy link to the board",
  copyPublic: "Copy link for everybody",
};
