// The import of board files (contract section 2, Files in).

import { BoardFile, FILE_LIMITS, FileCard } from "../../board/file.js";
import { PART_LIMITS_TEXT } from "../../card/model/ownParts.js";
import { checked } from "./checkedFile.js";
import { fileImport } from "./fileImport.js";
import type { FindPerson } from "./filePlans.js";
import { linked } from "./links.js";

const { labels, people, lists, tags } = BoardFile.shape;
const File = checked(
  {
    tags: { part: tags.element, max: FILE_LIMITS.labels },
    people: { part: people.element, max: FILE_LIMITS.people },
    labels: { part: labels.element, max: FILE_LIMITS.labels },
    lists: { part: lists.element, max: FILE_LIMITS.lists },
    cards: { part: FileCard, max: FILE_LIMITS.cards },
  },
  BoardFile,
);

/** By address; by name for an importer who may not see addresses. A match by name never gives a guest access to the board. */
const findPerson: FindPerson = ({ hidesEmails, byEmail, byName }, { email, name }) => {
  const match = email === null ? null : byEmail(email);
  if (match !== null || !hidesEmails) return match;
  const named = byName(name);
  return named?.role === "guest" ? null : named;
};

const imported = fileImport({
  path: "/imports/boards",
  summary: "Import a board file",
  description: `Creates a board from the file that \`GET /boards/{boardPublicId}/export\` writes, all of it or nothing. With \`dryRun\` nothing is created, and the response is the same with \`boardPublicId\` null.

- **Identifiers** of the file only link its own parts: everything gets new identifiers, and cards get new numbers. An identifier that leads nowhere is BAD_REQUEST with its path.
- **People** are matched among the active members by address; if the importer may not see addresses, by name and by its own address. People who are not found are left out and listed in \`warnings\`, assignees also in \`unmatchedAssignees\`.
- **Comments**: the importer becomes the author of all comments; \`importedFrom\` holds the original author and time.
- **Tags** are matched by name and created if missing.
- **The slug** is that of the file, or the next free one.
- **The visibility** \`public\` is kept only if the importer is an admin.
- **Notifications**: each person who is assigned to cards gets one notification of the type \`card.assigned\`, about the first of them.
- **Mentions** notify nobody.
- **Limits**: at most ${FILE_LIMITS.cards} cards, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${PART_LIMITS_TEXT} and ${FILE_LIMITS.comments} comments.

Requires \`board:create\`; an accountless guest gets FORBIDDEN.`,
  file: File,
  planOf: linked,
  findPerson,
});

export const boardFiles = { board: imported.procedure };
export const boardFilePreparations = { board: imported.preparation };
