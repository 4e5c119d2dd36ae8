import * as cardStyles from "../board/BoardCard.module.css";
import { Section } from "../parts/Section.js";
import { importTexts } from "../texts/importTexts.js";
import type { Meaning, Meanings } from "./columns.js";
import * as styles from "./Imports.module.css";

const SHOWN = 3;
/** The text below the title. */
const FACTS: readonly Meaning[] = ["priority", "dueDate", "labels", "list"];

/** The first rows as the cards that they become. */
export function FirstCards({ rows, meanings }: { rows: readonly (readonly string[])[]; meanings: Meanings }) {
  const text = importTexts;
  const textOf = (row: readonly string[], meaning: Meaning) =>
    row.filter((cell, column) => meanings[column] === meaning && cell.trim() !== "").join(", ");
  const cards = rows.filter((row) => textOf(row, "title") !== "").slice(0, SHOWN);
  if (cards.length === 0) return null;
  return (
    <Section heading={text.firstCards}>
      <ul className={styles.firstCards} aria-label={text.firstCards}>
        {cards.map((row, index) => (
          <li key={index} className={cardStyles.card}>
            <span className={cardStyles.title} dir="auto">
              {textOf(row, "title")}
            </span>
            <span className="chips">
              {FACTS.map((meaning) => [meaning, textOf(row, meaning)] as const)
                .filter(([, fact]) => fact !== "")
                .map(([meaning, fact]) => (
                  <span key={meaning} className="chip outline" dir="auto">
                    {fact}
                  </span>
                ))}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
