import { Button } from "../parts/Button.js";
import { Reason } from "../parts/Reason.js";
import { importTexts } from "../texts/importTexts.js";
import { reasonOf } from "./failures.js";
import * as styles from "./Imports.module.css";
import { ROWS_MAX } from "./runCsv.js";
import type { CsvRun } from "./useCsvRun.js";

interface Props {
  of: CsvRun;
  /** The names of the columns. */
  names: readonly string[];
  rowCount: number;
}

/** The progress of a trial or an import, and the reason of its failure. */
export function CsvRunState({ of: { run, trial, isBusy, failedPart, reached }, names, rowCount }: Props) {
  const text = importTexts;
  const isLong = rowCount > ROWS_MAX;
  return (
    <>
      <Reason
        of={run.error ?? trial.error}
        say={(error) => `${reasonOf(error, names)} ${failedPart === null ? "" : text.before(failedPart.offset)}`}
      />
      <p className="hint" role="status">
        {isBusy && (isLong ? text.rows(reached, rowCount) : trial.isPending ? text.trying : text.running)}
      </p>
      {isBusy && (
        <progress
          className={styles.progress}
          aria-label={text.progress}
          max={rowCount}
          {...(isLong && { value: reached })}
        />
      )}
    </>
  );
}

/** Tries the import, and runs what was tried. */
export function RunButtons({ of: { run, trial, isBusy, failedPart }, canTry }: { of: CsvRun; canTry: boolean }) {
  const text = importTexts;
  return (
    <div className={styles.toolsRow}>
      {trial.isSuccess && (
        <Button className="btn primary l" isOff={isBusy} onClick={() => run.mutate(failedPart)}>
          {failedPart === null ? text.import : text.goOn}
        </Button>
      )}
      <Button
        className={trial.isSuccess ? "btn l" : "btn primary l"}
        isOff={isBusy || !canTry}
        onClick={() => trial.mutate()}
      >
        {text.try}
      </Button>
    </div>
  );
}
