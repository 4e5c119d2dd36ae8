// The import of board files (contract section 2, Files in).

import { z } from "zod";
import { orPrepared, plannedFrom, preparation } from "../../api/prepared.js";
import { protectedProcedure } from "../../api/trpc.js";
import { BoardFile, FileCard } from "../../board/file.js";
import { ofWorkspace } from "../../workspace/shapes.js";
import { ImportedFile } from "../imported.js";
import { importBoards } from "../importing.js";
import { checked } from "./checkedFile.js";
import { FILE_LIMITS, type FindPerson, inWorkspace, mustBeWithinLimits } from "./filePlans.js";
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

/** By address; for an importer who may not see addresses by name, which never lets a guest see a board. */
const findPerson: FindPerson = ({ hidesEmails, byEmail, byName }, { email, name }) => {
  const found = email === null ? null : byEmail(email);
  if (found !== null || !hidesEmails) return found;
  const named = byName(name);
  return named?.role === "guest" ? null : named;
};

const Input = z.strictObject({ ...ofWorkspace, board: File, dryRun: z.boolean().default(false) });

function planFor({ workspacePublicId, dryRun, board }: z.output<typeof Input>) {
  const file = linked(board);
  mustBeWithinLimits(file);
  return { workspacePublicId, dryRun, file };
}

export const boardFiles = {
  board: protectedProcedure
    .meta({
      largeBody: true,
      heavy: true,
      openapi: {
        method: "POST",
        path: "/imports/boards",
        tags: ["Imports"],
        summary: "Import a board file",
        description: `Makes a board from what \`GET /boards/{boardPublicId}/export\` wrote, all of it or nothing. Its identifiers only link its own parts: everything gets new ones, and cards new numbers. One that leads nowhere is BAD_REQUEST and names its place. People are found among the active members by their address (by name alone, but for the own address, where the importer may not see addresses) and put on board and cards as they were; whom nobody has is dropped, and told in \`warnings\`, of assignees in \`unmatchedAssignees\` too. Comments are the importer's, with author and time in \`importedFrom\`. Tags are the workspace's of the name, or new. The slug is the file's or the next one to it that is free; only an admin's import keeps \`public\` visibility. Nobody is told of mentions. With \`dryRun\` the answer is the same, \`boardPublicId\` null, and nothing is made. At most ${FILE_LIMITS.cards} cards, ${FILE_LIMITS.lists} lists, ${FILE_LIMITS.labels} labels, ${FILE_LIMITS.labelled} labels and ${FILE_LIMITS.assigned} assignees on cards, ${FILE_LIMITS.items} checklist items and ${FILE_LIMITS.comments} comments. Needs \`board:create\`; an accountless guest gets FORBIDDEN.`,
      },
    })
    .input(orPrepared(Input))
    .output(ImportedFile)
    .mutation(({ ctx, input }) => {
      const { file, ...wanted } = plannedFrom(input, planFor);
      return importBoards(ctx, wanted, (on, workspace) => inWorkspace(on, workspace, file, findPerson));
    }),
};

export const boardFilePreparations = { board: preparation(Input, planFor) };
