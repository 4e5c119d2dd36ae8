// A trial of an import, and the import itself.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { newKey } from "work-board-client";
import { boardsChanged } from "../session/boards.js";
import { importTexts } from "../texts/importTexts.js";
import { texts } from "../texts/later.js";
import type { Mapping } from "./columns.js";
import { PartFailure, runCsv, type Table } from "./runCsv.js";
import type { ImportTarget } from "./TargetBoard.js";

export type CsvRun = ReturnType<typeof useCsvRun>;

/** Tries and runs the import of a table. Nothing can be tried without a mapping. */
export function useCsvRun(table: Table, workspacePublicId: string, target: ImportTarget, mapping: Mapping | null) {
  const [reached, setReached] = useState(0);
  const [key, setKey] = useState(newKey);
  const call = (dryRun: boolean, after: PartFailure | null) => {
    if (mapping === null) throw new Error(importTexts.noTitle);
    const wanted = {
      workspacePublicId,
      boardPublicId: target.boardPublicId === "" ? null : target.boardPublicId,
      boardName: target.boardName.trim(),
      defaultListName: texts.home.lists[0] ?? "",
      mapping,
    };
    return runCsv(table, wanted, { key, dryRun, after, progress: setReached });
  };
  const trial = useMutation({ mutationFn: () => call(true, null) });
  const run = useMutation({
    mutationFn: (after: PartFailure | null) => call(false, after),
    onSettled: boardsChanged,
  });
  return {
    trial,
    run,
    /** The number of rows that are done. */
    reached,
    isBusy: run.isPending || trial.isPending,
    /** The failure after which the import goes on; null if it begins anew. */
    failedPart: run.error instanceof PartFailure && run.error.done !== null ? run.error : null,
    reset() {
      trial.reset();
      run.reset();
      setKey(newKey());
    },
  };
}
