// The files that take longest begin first: one that began last would keep its worker when the others have nothing left to do.

import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** As `.ci/report.mjs` prints them after each run. */
const LONGEST = [
  "access/accountMatrix",
  "access/boardMatrix",
  "access/cardMatrix",
  "access/lateRights",
  "api/fairness",
  "api/idempotency",
  "board/snapshotMemory",
  "card/bulk",
  "card/cards",
  "card/days",
  "card/moving",
  "card/races",
  "user/signingIn",
  "workspace/invites",
  "web/board",
  "web/calendar",
  "web/cardKeys",
  "web/dragging",
  "web/imports",
  "web/longLists",
  "web/moving",
  "web/offline",
  "web/selection",
  "web/signingOut",
  "web/translation",
];
const long = new Set(LONGEST.map((name) => join(import.meta.dirname, "..", `${name}.test.ts`)));

/** Otherwise in Vitest's own order: by the last duration, or by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => Number(long.has(b.moduleId)) - Number(long.has(a.moduleId)));
  }
}
