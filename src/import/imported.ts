// What imports answer (specification 4.2), and what those of files have to tell of a board.

import { z } from "zod";
import { cutTo, SKIP_REASONS, WARNING_REASONS } from "./csv/rows.js";

export const Amount = z.int().min(0).max(2_147_483_647);

/** Whether an import only says what it would do. */
export const DryRun = z.boolean().default(false).meta({ description: "True: nothing is created." });

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

const skipped = { description: "What gave no card." };
const warned = { description: "What differs from the file." };

const note = <Reason extends string>(reasons: readonly [Reason, ...Reason[]], rowNumber: z.ZodInt) =>
  z.object({
    rowNumber,
    reason: z.enum(reasons).meta({ description: "What happened." }),
    value: z.string().meta({ description: "The text in the file." }),
  });

/** The answer of an import of `rowsMax` rows. */
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

/** Why a board differs from its file. */
export const FILE_REASONS = [
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
export type FileReason = (typeof FILE_REASONS)[number];

const place = () =>
  Amount.meta({ description: "The one-based position of the card in `cards` of the file; 0 for the board itself." });

/** The answer of an import of a board's file. */
export const ImportedFile = z
  .object({
    ...made(),
    skippedRows: z.array(note(["missingTitle"], place())).meta(skipped),
    warnings: z.array(note(FILE_REASONS, place())).meta(warned),
    boardPublicId: z.string().nullable(),
  })
  .meta({ id: "FileImport", description: "What an import of a file created." });

/** Something worth telling of a file. */
export interface FileNote {
  rowNumber: number;
  reason: FileReason;
  value: string;
}

const VALUE_MAX = 200;
/** How many single notes of one reason are told; the rest is counted in one more. */
const SINGLE_MAX = 1000;

/** Collects what is to be told of a file: much of a kind is told once, with a count. */
export class FileNotes {
  private readonly single: FileNote[];
  private readonly counts: Map<FileReason, number>;
  private readonly groups: Map<string, { note: FileNote; count: number }>;

  /** Begins with what was told before. */
  constructor(before?: FileNotes) {
    this.single = [...(before?.single ?? [])];
    this.counts = new Map(before?.counts);
    this.groups = new Map(before?.groups);
  }

  /** Tells one thing; `rowNumber` is 0 for what is of the board itself. */
  add(rowNumber: number, reason: FileReason, value: string): void {
    const count = (this.counts.get(reason) ?? 0) + 1;
    this.counts.set(reason, count);
    if (count <= SINGLE_MAX) this.single.push({ rowNumber, reason, value: cutTo(value, VALUE_MAX) });
  }

  /** Tells of a kind of thing once, with how often it was told, at the first place where it was. */
  group(rowNumber: number, reason: FileReason, kind: string): void {
    const key = `${reason} ${kind}`;
    const group = this.groups.get(key) ?? { note: { rowNumber, reason, value: cutTo(kind, VALUE_MAX) }, count: 0 };
    group.count += 1;
    if (group.count === 1 && this.groups.size < SINGLE_MAX) this.groups.set(key, group);
  }

  /** All of it, by place and in the order in which it was told. */
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
