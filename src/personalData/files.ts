// The files of an export, each with what its README says of it.

import { auditEntriesOf, favouritesOf, openedBoardsOf, workspacesOf } from "./ownAccount.js";
import { activitiesOf, assignmentsOf, cardsOf, commentsOf, notificationsOf } from "./ownWork.js";
import { jsonOf, type Source } from "./pages.js";
import type { ArchivedFile } from "./zip.js";

interface ListFile {
  name: string;
  about: string;
  pagesOf: (source: Source) => AsyncIterable<readonly object[]>;
}

/** Attachments will stand in a folder of their own, `files/`, beside these. */
const LISTS: readonly ListFile[] = [
  { name: "workspaces.json", about: "The workspaces that you belong to, with your role.", pagesOf: workspacesOf },
  { name: "favourites.json", about: "The boards that you marked as favourites.", pagesOf: favouritesOf },
  { name: "recent.json", about: "The boards that you opened, with the last time.", pagesOf: openedBoardsOf },
  {
    name: "cards.json",
    about:
      "The cards that you created, copied or imported. A title or description that somebody else edited last is null; one that you copied or imported counts as yours.",
    pagesOf: cardsOf,
  },
  {
    name: "comments.json",
    about:
      "Your comments, also those on boards that you can no longer see; there the card is null. A text that somebody else wrote is null.",
    pagesOf: commentsOf,
  },
  { name: "assignments.json", about: "The cards that you are assigned to.", pagesOf: assignmentsOf },
  { name: "notifications.json", about: "What you were notified of.", pagesOf: notificationsOf },
  { name: "activities.json", about: "What you changed, as types of events.", pagesOf: activitiesOf },
  {
    name: "audit.json",
    about: "Your entries of the audit log, with the network address of each call.",
    pagesOf: auditEntriesOf,
  },
];

const ACCOUNT = {
  name: "account.json",
  about: "Your profile, settings, ways to sign in, sessions and personal tokens, without any secret.",
};

const README = `Your data

${[ACCOUNT, ...LISTS].map(({ name, about }) => `${name}\n  ${about}`).join("\n\n")}

Names and addresses of other people are not included, nor what they wrote, except in what you copied or imported.
Workspaces, boards and cards are named by the identifiers that the API takes. Boards that you cannot see are left out, but for
your own comments there.
`;

/** The files of an export; the lists are read when their turn comes. */
export const filesOf = (account: object, source: Source): ArchivedFile[] => [
  { name: "README.txt", text: () => [README] },
  { name: ACCOUNT.name, text: () => [`${JSON.stringify(account, null, 2)}\n`] },
  ...LISTS.map(({ name, pagesOf }) => ({ name, text: () => jsonOf(pagesOf(source)) })),
];
