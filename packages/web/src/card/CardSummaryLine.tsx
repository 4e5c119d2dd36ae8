import { type RefObject, useSyncExternalStore } from "react";
import type { CardState } from "work-board-client/board";
import { Labels, People } from "../board/Card.js";
import { DueChip } from "../board/DueChip.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";

const phone = matchMedia("(max-width: 720px)");
const onPhone = (listener: () => void) => {
  phone.addEventListener("change", listener);
  return () => phone.removeEventListener("change", listener);
};

/** On phones: a summary of the properties, which stand below the text, and a link to them. */
export function CardSummaryLine({ card, properties }: { card: CardState; properties: RefObject<HTMLElement | null> }) {
  const isPhone = useSyncExternalStore(onPhone, () => phone.matches);
  if (!isPhone) return null;
  const { priority, dueDate, dueHasTime, completedAt } = card;
  const goTo = () => {
    properties.current?.scrollIntoView();
    properties.current?.focus({ preventScroll: true });
  };
  return (
    <div className={styles.facts}>
      {priority !== "none" && (
        <span className="chip outline">
          <span className={`prio ${priority}`} aria-hidden="true" />
          <span>{t.card.priorities[priority]}</span>
        </span>
      )}
      {dueDate !== null && <DueChip dueDate={dueDate} dueHasTime={dueHasTime} completedAt={completedAt} />}
      <Labels ids={card.labelIds} />
      <People members={card.members} />
      <button type="button" className="link" onClick={goTo}>
        {texts.card.allProperties}
      </button>
    </div>
  );
}
