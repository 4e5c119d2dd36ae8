// The worker thread for large bodies (api/largeBodies.ts): parses JSON, validates the input, and plans imports.

import { createHash } from "node:crypto";
import { transferableSymbol, valueSymbol } from "piscina";
import { readBodyFile } from "./api/bodyFiles.js";
import { failureOf } from "./api/errors.js";
import { decode, parseJson } from "./api/json.js";
import { LARGE_BODY_LIMIT } from "./api/largeBodies.js";
import type { Preparation, Task, TaskResult } from "./api/preparedInputs.js";
import { Rendered } from "./api/rendered.js";
import { csvPreparations } from "./import/csv/csv.js";
import { boardFilePreparations } from "./import/files/boardFile.js";
import { trelloPreparations } from "./import/trello/trello.js";

const preparations = new Map<string, Preparation>(
  Object.entries({ ...csvPreparations, ...trelloPreparations, ...boardFilePreparations }).map(([name, prepare]) => [
    `import.${name}`,
    prepare,
  ]),
);

/** A result whose bytes are transferred instead of copied. */
function handedOver(outcome: TaskResult & { kind: "rendered" }): TaskResult {
  return Object.assign(outcome, { [transferableSymbol]: [outcome.bytes.buffer], [valueSymbol]: outcome });
}

/** Prepares the operation of a task; errors in its body are a result too. */
export default function prepare({ path, fd, size, isBatch }: Task): TaskResult {
  const preparationOf = preparations.get(path);
  if (preparationOf === undefined) throw new Error(`${path} takes large bodies and has no preparation`);
  try {
    const bytes = readBodyFile(fd, size);
    const bodyHash = createHash("sha256").update(bytes).digest("hex");
    const body = parseJson(decode(bytes), LARGE_BODY_LIMIT);
    const plan = preparationOf(isBatch ? Object(body)[0] : body);
    if (!(plan instanceof Rendered)) return { kind: "plan", plan, bodyHash };
    return handedOver({ kind: "rendered", bytes: new Uint8Array(plan.plain()), bodyHash });
  } catch (error) {
    const { code, issues, isFault } = failureOf(error);
    if (isFault) throw error;
    return { kind: "refused", code, issues };
  }
}
