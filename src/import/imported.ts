// The responses of imports (specification 4.2), and the notes of file imports.

import { z } from "zod";
import { cutTo, SKIP_REASONS, WARNING_REASONS } from "./csv/rows.js";

export const Amount = z.int().min(0).max(2_147_483_647);

/** Whether an import only reports what it would do. */
export const DryRun = z.boolean().default(false).meta({ description: "If true, nothing is created." });

const amountOf = (things: string) => Amount.meta({ description: `The number of ${things}.` });

const made = () => ({
  boardsCreated: amountOf("new boards"),
  listsCreated: amountOf("new lists"),
  cardsCreated: amountOf("new cards"),
  labelsCreated: amountOf("new labels"),
  checklistItemsCreated: amountOf("new checklist items"),
  cardsAssigned: amountOf("cards with at least one assignee"),
  unmatchedAssignees: z.array(z.string()).meta({ description: "The assignees who were not found." }),
});

const skipped = { description: "The rows that created no card, and why." };
const warned = { description: "Where the result differs from the file." };

/** A note about a row or card of a file. */
export const note = <Reason extends string>(reasons: readonly [Reason, ...Reason[]], rowNumber: z.ZodInt) =>
  z.object({
    rowNumber,
    reason: z.enum(reasons).meta({ description: "The kind of note." }),
    value: z.string().meta({ description: "The text in the file." }),
  });

/** The response of an import of `rowsMax` rows. */
export const ImportedRows = (rowsMax: number) => {
  const rowNumber = () => z.int().min(1).max(rowsMax).meta({ description: "The one-based number of the row." });
  return z
    .object({
      ...made(),
      skippedRows: z.array(note(SKIP_REASONS, rowNumber())).meta(skipped),
      warnings: z.array(note(WARNING_REASONS, rowNumber())).meta(warned),
      boardPublicId: z.string().nullable(),
    })
    .meta({ id: "CsvImport", description: "What an import of CSV created." });
};

/** The reasons why a board differs from its file. */
const FILE_REASONS = [
  "titleTruncated",
  "valueTruncated",
  "invalidDate",
  "missingName",
  "labelMerged",
  "labelRenamed",
  "colourReplaced",
  "danglingLink",
  "personUnmatched",
  "visibilityLowered",
  "listArchived",
  "movedToDescription",
  "commentsMissing",
  "noPlace",
  "unknownField",
] as const;
type FileReason = (typeof FILE_REASONS)[number];

const place = () =>
  Amount.meta({ description: "The one-based position of the card in `cards` of the file; 0 for the board itself." });

/** The response of an import of a board's file. */
export const ImportedFile = z
  .object({
    ...made(),
    skippedRows: z.array(note(["missingTitle"], place())).meta(skipped),
    warnings: z.array(note(FILE_REASONS, place())).meta(warned),
    boardPublicId: z.string().nullable(),
  })
  .meta({ id: "FileImport", description: "What an import of a file created." });

/** A note about a file. */
export interface FileNote {
  rowNumber: number;
  reason: FileReason;
  value: string;
}

const VALUE_MAX = 200;
/** The most notes of one reason that are listed; one more note has the number of the rest. */
const SINGLE_MAX = 1000;

/** Collects notes about a file; frequent ones are listed once with a count. */
export class FileNotes {
  private readonly single: FileNote[];
  private readonly counts: Map<FileReason, number>;
  private readonly groups: Map<string, { note: FileNote; count: number }>;

  /** Begins with earlier notes. */
  constructor(before?: FileNotes) {
    this.single = [...(before?.single ?? [])];
    this.counts = new Map(before?.counts);
    this.groups = new Map(before?.groups);
  }

  /** Adds one note; `rowNumber` is 0 for the board itself. */
  add(rowNumber: number, reason: FileReason, value: string): void {
    const count = (this.counts.get(reason) ?? 0) + 1;
    this.counts.set(reason, count);
    if (count <= SINGLE_MAX) this.single.push({ rowNumber, reason, value: cutTo(value, VALUE_MAX) });
  }

  /** Adds a note that is listed once with a count, at its first position. */
  group(rowNumber: number, reason: FileReason, kind: string): void {
    const key = `${reason} ${kind}`;
    const group = this.groups.get(key) ?? { note: { rowNumber, reason, value: cutTo(kind, VALUE_MAX) }, count: 0 };
    group.count += 1;
    if (group.count === 1 && this.groups.size < SINGLE_MAX) this.groups.set(key, group);
  }

  /** All notes, by position and then in order of addition. */
  get notes(): FileNote[] {
    const grouped = [...this.groups.values()].map(({ note, count }) => ({
      ...note,
      value: count === 1 ? note.value : `${note.value} (${count} times)`,
    }));
    const rest = [...this.counts].filter(([, count]) => count > SINGLE_MAX);
    const counted = rest.map(([reason, count]) => ({ rowNumber: 0, reason, value: `${count - SINGLE_MAX} more` }));
    return [...this.single, ...grouped, ...counted].sort((a, b) => a.rowNumber - b.rowNumber);
  }
}
