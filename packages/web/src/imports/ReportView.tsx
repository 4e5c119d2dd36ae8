import { OctagonAlert, TriangleAlert } from "lucide";
import { useAnnouncement } from "../parts/announcing.js";
import { Icon } from "../parts/Icon.js";
import { Section } from "../parts/Section.js";
import { importTexts } from "../texts/importTexts.js";
import { texts } from "../texts/later.js";
import * as styles from "./Imports.module.css";
import type { Report } from "./runCsv.js";

/** The most notes that are shown at once. */
const NOTES_MAX = 100;

interface Props {
  heading: string;
  report: Report;
  /** Whether the file is a table: a note names a row of it, or else a card of a board. */
  isTable: boolean;
}

/** The things that an import made or would make, and their differences from the file. */
export function ReportView({ heading, report, isTable }: Props) {
  const text = importTexts;
  const figures = [
    [report.boardsCreated, text.figures.boards],
    [report.cardsCreated, text.figures.cards],
    [report.listsCreated, text.figures.lists],
    [report.labelsCreated, text.figures.labels],
    [report.checklistItemsCreated, text.figures.items],
    [report.cardsAssigned, text.figures.assigned],
    [report.skippedRows.length, isTable ? text.figures.skippedRows : text.figures.skippedCards],
  ] as const;
  const counted = figures.filter(([count]) => count > 0);
  useAnnouncement(
    text.report(
      heading,
      counted.map(([count, name]) => `${texts.number(count)} ${name(count)}`),
    ),
  );
  const notes = [
    ...report.skippedRows.map((note) => ({ ...note, isSkipped: true })),
    ...report.warnings.map((note) => ({ ...note, isSkipped: false })),
  ].sort((a, b) => a.rowNumber - b.rowNumber);
  const placeOf = (number: number) => {
    if (isTable) return text.row(number);
    return number === 0 ? text.theBoard : text.card(number);
  };
  return (
    <Section heading={heading}>
      <div className={`rows ${styles.report}`}>
        <dl className={styles.figures}>
          {counted.map(([count, name]) => (
            <div key={name(1)}>
              <dt>{name(count)}</dt>
              <dd>{texts.number(count)}</dd>
            </div>
          ))}
        </dl>
        {report.unmatchedAssignees.length > 0 && (
          <p className="hint">{text.unmatched(report.unmatchedAssignees.slice(0, NOTES_MAX))}</p>
        )}
        {notes.length > 0 && (
          <ul className="notes" aria-label={text.notes}>
            {notes.slice(0, NOTES_MAX).map(({ rowNumber, reason, value, isSkipped }, index) => (
              <li key={index} className={isSkipped ? "error" : "hint"}>
                <Icon of={isSkipped ? OctagonAlert : TriangleAlert} isSmall />
                <span dir="auto">{text.note(placeOf(rowNumber), text.reasons[reason], value)}</span>
              </li>
            ))}
          </ul>
        )}
        {notes.length > NOTES_MAX && <p className="hint">{text.more(notes.length - NOTES_MAX)}</p>}
      </div>
    </Section>
  );
}
