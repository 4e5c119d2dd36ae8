import { useState } from "react";
import { Page } from "../frame/Frame.js";
import { importTexts } from "../texts/importTexts.js";
import { ColumnTable } from "./ColumnTable.js";
import { CsvRunState, RunButtons } from "./CsvRunState.js";
import { mappingOf, suggested, widthOf } from "./columns.js";
import type { Encoding } from "./encodings.js";
import { FirstCards } from "./FirstCards.js";
import { ImportResult } from "./ImportResult.js";
import { ImportSteps } from "./ImportSteps.js";
import * as styles from "./Imports.module.css";
import { ReportView } from "./ReportView.js";
import { ROWS_MAX, type Table } from "./runCsv.js";
import { TableReading } from "./TableReading.js";
import { TargetBoard } from "./TargetBoard.js";
import type { Reading } from "./TextReading.js";
import { useCsvRun } from "./useCsvRun.js";

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
  const text = importTexts;
  const { first } = table;
  const [meanings, setMeanings] = useState(() => suggested(first));
  const [target, setTarget] = useState({ boardPublicId: "", boardName: withoutEnding(name) });
  // All rows of a long table go to one board, and so do those that are added to one.
  const isOneBoard = first.rowCount > ROWS_MAX || target.boardPublicId !== "";
  const mapping = mappingOf(isOneBoard ? meanings.map((one) => (one === "board" ? null : one)) : meanings);
  const names = Array.from({ length: widthOf(first) }, (_, index) => first.header[index] || text.column(index + 1));
  const csvRun = useCsvRun(table, workspacePublicId, target, mapping);
  const { trial, run, isBusy, reset } = csvRun;
  const step = run.isSuccess ? "done" : trial.isSuccess ? "trial" : "columns";
  /** Takes what the person chose, which makes an earlier trial void. */
  const choose =
    <T,>(set: (next: T) => void) =>
    (next: T) => {
      set(next);
      reset();
    };
  return (
    <Page heading={heading} tools={<ImportSteps of={["file", "columns", "trial", "done"]} current={step} />}>
      <div className="scroll">
        <div className={`page split ${styles.columns}`}>
          <div className={styles.sections}>
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
                <TargetBoard workspacePublicId={workspacePublicId} target={target} set={choose(setTarget)} />
                <ColumnTable
                  first={first}
                  names={names}
                  meanings={meanings}
                  isOneBoard={isOneBoard}
                  set={choose(setMeanings)}
                />
              </>
            )}
            {trial.isSuccess && !run.isSuccess && <ReportView heading={text.wouldMake} report={trial.data} isTable />}
            {run.isSuccess && <ImportResult report={run.data} isTable again={again} />}
            {mapping === null && <p className="error">{text.noTitle}</p>}
            <CsvRunState of={csvRun} names={names} rowCount={first.rowCount} />
            {!run.isSuccess && <RunButtons of={csvRun} canTry={mapping !== null && target.boardName.trim() !== ""} />}
          </div>
          {!run.isSuccess && <FirstCards rows={first.rows} meanings={meanings} />}
        </div>
      </div>
    </Page>
  );
}
