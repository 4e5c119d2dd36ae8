import { Link } from "wouter";
import { importTexts } from "../texts/importTexts.js";
import * as styles from "./Imports.module.css";
import { ReportView } from "./ReportView.js";
import type { Report } from "./runCsv.js";

/** The report of an import, and the link to its board. */
export function ImportResult({ report, isTable, again }: { report: Report; isTable: boolean; again: () => void }) {
  const text = importTexts;
  return (
    <>
      <ReportView heading={text.made} report={report} isTable={isTable} />
      <div className={styles.toolsRow}>
        {report.boardPublicId !== null && (
          <Link className="btn primary l" href={`/boards/${report.boardPublicId}`}>
            {text.open}
          </Link>
        )}
        <button className="btn l" type="button" onClick={again}>
          {text.another}
        </button>
      </div>
    </>
  );
}
