import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { newKey } from "work-board-client";
import { Page } from "../frame/Frame.js";
import { Reason } from "../parts/Reason.js";
import { boardsChanged } from "../session/boards.js";
import { texts } from "../texts/later.js";
import { ColumnTable } from "./ColumnTable.js";
import { mappingOf, suggested, widthOf } from "./columns.js";
import type { Encoding } from "./encodings.js";
import { FirstCards } from "./FirstCards.js";
import { reasonOf } from "./failures.js";
import { Outcome } from "./Outcome.js";
import { ReportView } from "./ReportView.js";
import { PartFailure, ROWS_MAX, runCsv, type Table } from "./runCsv.js";
import { Steps } from "./Steps.js";
import { TableReading } from "./TableReading.js";
import { Target } from "./Target.js";
import type { Reading } from "./TextReading.js";

interface Props {
  heading: string;
  workspacePublicId: string;
  name: string;
  encoding: Encoding;
  table: Table;
  read: (reading: Reading) => void;
  again: () => void;
}

const withoutEnding = (name: string) => name.replace(/\.\w+$/, "");

/** The meanings of the columns and the board of the cards; a trial that makes nothing; and the import. */
export function CsvColumns({ heading, workspacePublicId, name, encoding, table, read, again }: Props) {
  const text = texts.imports;
  const { first } = table;
  const [meanings, setMeanings] = useState(() => suggested(first));
  const [target, setTarget] = useState({ boardPublicId: "", boardName: withoutEnding(name) });
  const [reached, setReached] = useState(0);
  const [key, setKey] = useState(newKey);
  const isLong = first.rowCount > ROWS_MAX;
  // All rows of a long table go to one board, and so do those that are added to one.
  const isOneBoard = isLong || target.boardPublicId !== "";
  const mapping = mappingOf(isOneBoard ? meanings.map((one) => (one === "board" ? null : one)) : meanings);
  const names = Array.from({ length: widthOf(first) }, (_, index) => first.header[index] || text.column(index + 1));
  const call = (dryRun: boolean, after: PartFailure | null) => {
    if (mapping === null) throw new Error(text.noTitle);
    const { boardPublicId, boardName } = target;
    const wanted = {
      workspacePublicId,
      boardPublicId: boardPublicId === "" ? null : boardPublicId,
      boardName: boardName.trim(),
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
  const failure = run.error ?? trial.error;
  const isBusy = run.isPending || trial.isPending;
  const failedPart = run.error instanceof PartFailure && run.error.done !== null ? run.error : null;
  const changed = () => {
    trial.reset();
    run.reset();
    setKey(newKey());
  };
  const step = run.isSuccess ? "done" : trial.isSuccess ? "trial" : "columns";
  return (
    <Page heading={heading} tools={<Steps of={["file", "columns", "trial", "done"]} current={step} />}>
      <div className="scroll">
        <div className="page split import">
          <div className="stack-24">
            <TableReading
              name={name}
              encoding={encoding}
              first={first}
              isLocked={isBusy || run.isSuccess}
              read={read}
              again={again}
            />
            {!run.isSuccess && (
              <>
                <Target
                  workspacePublicId={workspacePublicId}
                  target={target}
                  set={(next) => {
                    setTarget(next);
                    changed();
                  }}
                />
                <ColumnTable
                  first={first}
                  names={names}
                  meanings={meanings}
                  isOneBoard={isOneBoard}
                  set={(next) => {
                    setMeanings(next);
                    changed();
                  }}
                />
              </>
            )}
            {trial.isSuccess && !run.isSuccess && <ReportView heading={text.wouldMake} report={trial.data} isTable />}
            {run.isSuccess && <Outcome report={run.data} isTable again={again} />}
            {mapping === null && <p className="error">{text.noTitle}</p>}
            <Reason
              of={failure}
              say={(error) => `${reasonOf(error, names)} ${failedPart === null ? "" : text.before(failedPart.offset)}`}
            />
            <p className="hint" role="status">
              {isBusy && (isLong ? text.rows(reached, first.rowCount) : trial.isPending ? text.trying : text.running)}
            </p>
            {isBusy && (
              <progress
                className="progress"
                aria-label={text.progress}
                max={first.rowCount}
                {...(isLong && { value: reached })}
              />
            )}
            {!run.isSuccess && (
              <div className="tools-row">
                {trial.isSuccess && (
                  <button
                    className="btn primary l"
                    type="button"
                    disabled={isBusy}
                    onClick={() => run.mutate(failedPart)}
                  >
                    {failedPart === null ? text.import : text.goOn}
                  </button>
                )}
                <button
                  className={trial.isSuccess ? "btn l" : "btn primary l"}
                  type="button"
                  disabled={isBusy || mapping === null || target.boardName.trim() === ""}
                  onClick={() => trial.mutate()}
                >
                  {text.try}
                </button>
              </div>
            )}
          </div>
          {!run.isSuccess && <FirstCards rows={first.rows} meanings={meanings} />}
        </div>
      </div>
    </Page>
  );
}
