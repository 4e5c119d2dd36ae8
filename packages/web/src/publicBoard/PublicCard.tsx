import { CircleCheck } from "lucide";
import { memo } from "react";
import { Link } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import * as styles from "../board/BoardCard.module.css";
import { CardMarks } from "../board/CardMarks.js";
import { DueChip } from "../board/DueChip.js";
import { Icon } from "../parts/Icon.js";
import { LabelChip } from "../parts/LabelChip.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import type { Card } from "./queries.js";

/** A card as strangers see it: no people, no comments. */
export const PublicCard = memo(function PublicCard({ card, href }: { card: Card; href: string }) {
  return (
    <li className={card.completedAt === null ? styles.card : `${styles.card} ${styles.isDone}`}>
      <Link className={styles.title} href={href} state={FROM_PAGE} dir="auto">
        {card.completedAt !== null && <Icon of={CircleCheck} />}
        <span>{card.title}</span>
      </Link>
      <CardChips card={card} />
      <div className={styles.meta}>
        <span className="key">{texts.publicBoard.number(card.cardNumber)}</span>
        <CardMarks of={card} />
        {card.checklistItems.total > 0 && (
          <span>{t.card.done(card.checklistItems.completed, card.checklistItems.total)}</span>
        )}
      </div>
    </li>
  );
});

/** When a card is due, and its labels. */
export function CardChips({ card: { dueDate, dueHasTime, completedAt, labels } }: { card: Card }) {
  if (dueDate === null && labels.length === 0) return null;
  return (
    <div className="chips">
      {dueDate !== null && <DueChip dueDate={dueDate} dueHasTime={dueHasTime} completedAt={completedAt} />}
      {labels.map((label) => (
        <LabelChip key={label.publicId} of={label} />
      ))}
    </div>
  );
}
