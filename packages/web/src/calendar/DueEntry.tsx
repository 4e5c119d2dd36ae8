import { Calendar, CalendarX, Ellipsis, Maximize2 } from "lucide";
import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { useFocusOnReturn } from "../board/focus.js";
import { tintOf } from "../parts/Avatar.js";
import { colourVariable } from "../parts/colours.js";
import { WEEK } from "../parts/days.js";
import { Icon } from "../parts/Icon.js";
import type { Entry } from "../parts/Menu.js";
import { MenuButton } from "../parts/MenuButton.js";
import { datesLang } from "../parts/times.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Calendar.module.css";
import { useCalendar } from "./context.js";
import type { DueCard } from "./queries.js";
import { timeInWords } from "./words.js";

/** The days by which a key moves a card, with Alt. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -WEEK, ArrowDown: WEEK };

/** The card that a key has moved: on its new day it is another element, which takes the focus. */
let movedByKey: string | null = null;

/** A card on the day on which it is due, in the colour of its board. */
export function DueEntry({ card }: { card: DueCard }) {
  const { may, move, moveBy, askForDay } = useCalendar();
  const [, navigate] = useLocation();
  const href = `/cards/${card.publicId}`;
  const canEdit = may("card:edit");
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (movedByKey !== card.publicId) return;
    movedByKey = null;
    link.current?.focus();
  }, [card.publicId]);
  useFocusOnReturn(card.publicId, link);
  const onKeyDown = (event: KeyboardEvent) => {
    const days = STEPS[event.key];
    if (!canEdit || !event.altKey || days === undefined) return;
    event.preventDefault();
    movedByKey = card.publicId;
    moveBy(card, days);
  };
  const entries = (): Entry[] => [
    { text: texts.card.open, icon: Maximize2, key: "Enter", onSelect: () => navigate(href, { state: FROM_PAGE }) },
    { text: texts.calendar.dueDate, icon: Calendar, onSelect: () => askForDay(card) },
    { text: texts.card.noDate, icon: CalendarX, onSelect: () => move(card, null) },
  ];
  return (
    <div className={styles.entryRow} data-due={card.publicId}>
      <Link
        ref={link}
        href={href}
        state={FROM_PAGE}
        className={card.completedAt === null ? styles.entry : `${styles.entry} ${styles.isDone}`}
        style={colourVariable(tintOf(card.boardPublicId))}
        draggable={false}
        onKeyDown={onKeyDown}
      >
        {card.dueHasTime && (
          <time lang={datesLang} dateTime={card.dueDate}>
            {timeInWords(new Date(card.dueDate))}
          </time>
        )}
        <span className="truncate" dir="auto">
          {card.title}
        </span>
        {card.completedAt !== null && <span className="sr">{texts.calendar.done}</span>}
      </Link>
      {canEdit && (
        <MenuButton className="btn plain icon s" aria-label={t.card.actionsFor(card.title)} entries={entries}>
          <Icon of={Ellipsis} />
        </MenuButton>
      )}
    </div>
  );
}
