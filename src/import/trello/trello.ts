// The import of Trello's board export (contract section 3).

import { z } from "zod";
import { orPrepared, plannedFrom, preparation } from "../../api/prepared.js";
import { protectedProcedure } from "../../api/trpc.js";
import { ofWorkspace } from "../../workspace/shapes.js";
import { FILE_LIMITS, type FindPerson, inWorkspace, mustBeWithinLimits } from "../files/filePlans.js";
import { ImportedFile } from "../imported.js";
import { importBoards } from "../importing.js";
import { planTrello } from "./board.js";
import { TrelloFile } from "./file.js";

/** By address, else by full name, else by username. A name alone never lets a guest see a board. */
const findPerson: FindPerson = ({ byEmail, byName }, { email, name, username }) => {
  const found = (email === null ? null : byEmail(email)) ?? byName(name) ?? byName(username ?? "");
  return found?.role === "guest" ? null : found;
};

const Input = z.strictObject({ ...ofWorkspace, board: TrelloFile, dryRun: z.boolean().default(false) });

function planFor({ workspacePublicId, dryRun, board }: z.output<typeof Input>) {
  const file = planTrello(board);
  mustBeWithinLimits(file);
  return { workspacePublicId, dryRun, file };
}

export const trelloImports = {
  trello: protectedProcedure
    .meta({
      largeBody: true,
      heavy: true,
      openapi: {
        method: "POST",
        path: "/imports/trello/boards",
        tags: ["Imports"],
        summary: "Import a board from Trello",
        description: `Makes a board from what Trello's "Export as JSON" wrote, all of it or nothing. Lists and cards stand in Trello's order; labels without a name are called by their colour, and those that \`labelNames\` alone names are made too. Comments are the importer's, with author and time in \`importedFrom\`. Archived cards are archived, and so are the cards of archived lists, which come last. Members are found by address (by an importer who may see addresses, or whose own it is), else by name; the others are told in \`warnings\`, assignees in \`unmatchedAssignees\` too. Start dates, places, custom fields and attachments (as links) become lines of the description. A private board stays private; no other is made public. \`warnings\` tells what moved (\`movedToDescription\`), what has no place here (\`noPlace\`), what the import does not know (\`unknownField\`), and comments that Trello counts but did not export (\`commentsMissing\`: it exports its last 1000 actions); \`rowNumber\` is the card's place in the file's \`cards\`, from 1. With \`dryRun\` the answer is the same, \`boardPublicId\` null, and nothing is made. At most ${FILE_LIMITS.cards} cards, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${FILE_LIMITS.items} checklist items and ${FILE_LIMITS.comments} comments. Needs \`board:create\`; an accountless guest gets FORBIDDEN.`,
      },
    })
    .input(orPrepared(Input))
    .output(ImportedFile)
    .mutation(({ ctx, input }) => {
      const { file, ...wanted } = plannedFrom(input, planFor);
      return importBoards(ctx, wanted, (on, workspace) => inWorkspace(on, workspace, file, findPerson));
    }),
};

export const trelloPreparations = { trello: preparation(Input, planFor) };
