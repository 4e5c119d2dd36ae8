// The operation that imports one board from a file, of whatever kind.

import { z } from "zod";
import { orPrepared, plannedFrom, preparation } from "../../api/preparedInputs.js";
import { protectedProcedure } from "../../api/trpc.js";
import { ofWorkspace } from "../../workspace/workspaceShapes.js";
import { DryRun, ImportedFile } from "../imported.js";
import { importBoards } from "../importing.js";
import { type FilePlan, type FindPerson, inWorkspace, mustBeWithinLimits } from "./filePlans.js";

/** A kind of file: its schema, the board that a file describes, and how its people are matched. */
interface FileKind<File, Input> {
  path: `/${string}`;
  summary: string;
  description: string;
  file: z.ZodType<File, Input>;
  planOf: (file: File) => FilePlan;
  findPerson: FindPerson;
}

/** The operation that imports a kind of file, and its preparation by a worker thread. */
export function fileImport<File, FileInput>({ file, planOf, findPerson, ...texts }: FileKind<File, FileInput>) {
  const Input = z.strictObject({ ...ofWorkspace, board: file, dryRun: DryRun });
  function planFor({ workspacePublicId, dryRun, board }: z.output<typeof Input>) {
    const plan = planOf(board);
    mustBeWithinLimits(plan);
    return { workspacePublicId, dryRun, plan };
  }
  const procedure = protectedProcedure
    .meta({
      largeBody: true,
      weight: "heavy",
      openapi: {
        method: "POST",
        tags: ["Imports"],
        successDescription: "The board was created, or on a dry run would be.",
        ...texts,
      },
    })
    .input(orPrepared(Input))
    .output(ImportedFile)
    .mutation(async ({ ctx, input }) => {
      const { plan, ...wanted } = await plannedFrom(input, planFor);
      return importBoards(ctx, wanted, (on, workspace) => inWorkspace(on, workspace, plan, findPerson));
    });
  return { procedure, preparation: preparation(Input, planFor) };
}
