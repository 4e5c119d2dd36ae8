// The import of board files (contract section 2, Files in).

import { z } from "zod";
import { PublicId } from "../../api/shapes.js";
import { protectedProcedure } from "../../api/trpc.js";
import { BoardFile, FileCard } from "../../board/file.js";
import { ImportedFile } from "../imported.js";
import { importBoards } from "../importing.js";
import { checked } from "./checkedFile.js";
import { FILE_LIMITS, inWorkspace, mustBeWithinLimits } from "./filePlans.js";
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

export const boardFiles = {
  board: protectedProcedure
    .meta({
      largeBody: true,
      openapi: {
        method: "POST",
        path: "/imports/boards",
        tags: ["Imports"],
        summary: "Import a board file",
        description: `Makes a board from what \`GET /boards/{boardPublicId}/export\` wrote, all of it or nothing. Its identifiers only link its own parts: everything gets new ones, and cards new numbers. One that leads nowhere is BAD_REQUEST and names its place. People are found among the active members by their address and put on board and cards as they were; whom nobody has is dropped, and told in \`warnings\`, of assignees in \`unmatchedAssignees\` too. Comments are the importer's, with author and time in \`importedFrom\`. Tags are the workspace's of the name, or new. The slug is the file's or the next one to it that is free; only an admin's import keeps \`public\` visibility. Nobody is told of mentions. With \`dryRun\` the answer is the same, \`boardPublicId\` null, and nothing is made. At most ${FILE_LIMITS.cards} cards, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${FILE_LIMITS.items} checklist items and ${FILE_LIMITS.comments} comments. Needs \`board:create\`.`,
      },
    })
    .input(z.strictObject({ workspacePublicId: PublicId, board: File, dryRun: z.boolean().default(false) }))
    .output(ImportedFile)
    .mutation(({ ctx, input }) => {
      const file = linked(input.board);
      mustBeWithinLimits(file);
      return importBoards(ctx, input, (on, workspace) =>
        inWorkspace(on, workspace, file, ({ byEmail }, { email }) => (email === null ? null : byEmail(email))),
      );
    }),
};
