// Imports a table, or tries it: in parts of as many rows as one call takes.

import { client, type RouterInputs, type RouterOutputs } from "../client.js";
import type { Mapping, Preview } from "./columns.js";

export type Report = RouterOutputs["import"]["csv"] | RouterOutputs["import"]["trello"];
type CsvReport = RouterOutputs["import"]["csv"];
export type PreviewOptions = Pick<RouterInputs["import"]["csvPreview"], "delimiter" | "hasHeader">;

/** The most rows of one call. */
export const ROWS_MAX = 2000;

/** Reads a part of a table. */
export const previewOf = (csv: string, options: PreviewOptions, offset = 0): Promise<Preview> =>
  client.import.csvPreview.mutate({ csv, ...options, offset, limit: ROWS_MAX });

/** The meanings of the columns, and the board that the cards go to. */
export interface CsvImport {
  workspacePublicId: string;
  /** The board to add to; null for a new one. */
  boardPublicId: string | null;
  boardName: string;
  defaultListName: string;
  mapping: Mapping;
}

/** A table with its first part. */
export interface Table {
  csv: string;
  options: PreviewOptions;
  first: Preview;
}

/** A failure in a part of a table: the row before its first. */
export class PartFailure extends Error {
  constructor(
    readonly failure: unknown,
    readonly offset: number,
    /** The report of the parts before it. */
    readonly done: CsvReport | null,
  ) {
    super("A part of the table could not be imported");
  }
}

/** The report of a part behind those before it, with what the preview cut of its rows. */
const joined = (before: CsvReport | null, part: CsvReport, { warnings: cut }: Preview, offset: number): CsvReport => {
  const placed = <Note extends { rowNumber: number }>(notes: readonly Note[]) =>
    notes.map((note) => ({ ...note, rowNumber: note.rowNumber + offset }));
  const here = { ...part, skippedRows: placed(part.skippedRows), warnings: [...cut, ...placed(part.warnings)] };
  if (before === null) return here;
  return {
    boardsCreated: before.boardsCreated + here.boardsCreated,
    listsCreated: before.listsCreated + here.listsCreated,
    cardsCreated: before.cardsCreated + here.cardsCreated,
    labelsCreated: before.labelsCreated + here.labelsCreated,
    checklistItemsCreated: before.checklistItemsCreated + here.checklistItemsCreated,
    cardsAssigned: before.cardsAssigned + here.cardsAssigned,
    unmatchedAssignees: [...new Set([...before.unmatchedAssignees, ...here.unmatchedAssignees])],
    skippedRows: [...before.skippedRows, ...here.skippedRows],
    warnings: [...before.warnings, ...here.warnings],
    boardPublicId: before.boardPublicId,
  };
};

interface RunOptions {
  /** The same for each try of an import: a part whose answer was lost is not made twice. */
  key: string;
  dryRun: boolean;
  /** The failure of the last try. */
  after: PartFailure | null;
  /** Called with the number of rows before each part. */
  progress: (rows: number) => void;
}

/**
 * Imports a table part by part, all further ones onto the board of the first. After a failure it goes on where it failed, with what
 * the failure says. @throws PartFailure
 */
export async function runCsv(
  { csv, options, first }: Table,
  wanted: CsvImport,
  { key, dryRun, after, progress }: RunOptions,
): Promise<CsvReport> {
  let report = after?.done ?? null;
  for (let offset = after?.offset ?? 0; report === null || offset < first.rowCount; offset += ROWS_MAX) {
    progress(offset);
    try {
      const preview = offset === 0 ? first : await previewOf(csv, options, offset);
      const boardPublicId = report?.boardPublicId ?? wanted.boardPublicId;
      const { boardPublicId: _, ...input } = wanted;
      const part = await client.import.csv.mutate(
        { ...input, rows: preview.rows, dryRun, ...(boardPublicId !== null && { boardPublicId }) },
        { context: dryRun ? {} : { idempotencyKey: `${key}-${offset}` } },
      );
      report = joined(report, part, preview, offset);
    } catch (failure) {
      throw new PartFailure(failure, offset, report);
    }
  }
  // Parts that are tried do not know what the others would make.
  const isDivided = dryRun && first.rowCount > ROWS_MAX;
  const boardsCreated = wanted.boardPublicId === null ? 1 : 0;
  return isDivided ? { ...report, boardsCreated, listsCreated: 0, labelsCreated: 0 } : report;
}
