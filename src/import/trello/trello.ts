// The import of Trello's board export (contract section 3).

import { FILE_LIMITS } from "../../board/file.js";
import { fileImport } from "../files/fileImport.js";
import type { FindPerson } from "../files/filePlans.js";
import { planTrello } from "./board.js";
import { TrelloFile } from "./file.js";

/** By address, else by full name, else by username. A match by name never gives a guest access to a board. */
const findPerson: FindPerson = ({ byEmail, byName }, { email, name, username }) => {
  const match = (email === null ? null : byEmail(email)) ?? byName(name) ?? byName(username ?? "");
  return match?.role === "guest" ? null : match;
};

const imported = fileImport({
  path: "/imports/trello/boards",
  summary: "Import a board from Trello",
  description: `Creates a board from the file that Trello's "Export as JSON" writes, all of it or nothing. With \`dryRun\` nothing is created, and the response is the same with \`boardPublicId\` null.

- **Order**: lists and cards keep their order.
- **Labels** without a name are named by their colour; labels that appear only in \`labelNames\` are created too.
- **Comments**: the importer becomes the author of all comments; \`importedFrom\` holds the original author and time.
- **Archived** cards and the cards of archived lists are archived.
- **Members** are matched by address, if the importer may see addresses or the address is its own, and otherwise by name.
- **Other data**: start dates, locations, custom fields and attachments (as links) become lines of the description.
- **Visibility**: a private board stays private; no imported board becomes public.
- **Response**: \`warnings\` lists members who were not found, data that moved to the description (\`movedToDescription\`), data that was left out (\`noPlace\`), unknown fields (\`unknownField\`), and comments that Trello counts but did not export (\`commentsMissing\`, because Trello exports only the last 1000 actions). \`rowNumber\` is the one-based position of the card in \`cards\` of the file.
- **Notifications**: each person who is assigned to cards gets one notification of the type \`card.assigned\`, about the first of them.
- **Limits**: at most ${FILE_LIMITS.cards} cards, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${FILE_LIMITS.items} checklist items and ${FILE_LIMITS.comments} comments.

Requires \`board:create\`; an accountless guest gets FORBIDDEN.`,
  file: TrelloFile,
  planOf: planTrello,
  findPerson,
});

export const trelloImports = { trello: imported.procedure };
export const trelloPreparations = { trello: imported.preparation };
