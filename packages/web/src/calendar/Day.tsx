import { Video } from "lucide";
import { Icon } from "../parts/Icon.js";
import { datesLang } from "../parts/times.js";
import { texts } from "../texts/later.js";
import * as styles from "./Calendar.module.css";
import { useCalendar } from "./context.js";
import { DueEntry } from "./DueEntry.js";
import type { DayEntries, Occurrence } from "./queries.js";
import { dayInWords, numberInWords, timeInWords, weekdayInWords } from "./words.js";

/** The entries of a day that a month shows; of more, one less, and how many there are. */
const SHOWN = 4;

interface Props {
  day: string;
  entries: DayEntries | undefined;
  isToday: boolean;
  /** Whether it belongs to another month. */
  isOff: boolean;
  /** Whether a dragged card is over it. */
  isOver: boolean;
  /** Shows the whole week; null if that is shown. */
  showWeek: (() => void) | null;
}

/** A day with its meetings, and the cards that are due. */
export function Day({ day, entries, isToday, isOff, isOver, showWeek }: Props) {
  const { cards = [], meetings = [] } = entries ?? {};
  const count = cards.length + meetings.length;
  const most = showWeek === null || count <= SHOWN ? count : SHOWN - 1;
  const classes = [
    styles.day,
    isToday && styles.today,
    isOff && styles.off,
    isOver && styles.isOver,
    count === 0 && styles.emptyDay,
  ];
  return (
    <section
      className={classes.filter(Boolean).join(" ")}
      data-day={day}
      aria-label={dayInWords(day)}
      aria-current={isToday ? "date" : undefined}
    >
      <span className={styles.number} aria-hidden="true">
        <b>{numberInWords(day)}</b>
        <span className={styles.phone}>{weekdayInWords(day)}</span>
      </span>
      {meetings.slice(0, most).map((occurrence) => (
        <MeetingEntry key={`${occurrence.meeting.publicId} ${occurrence.at.getTime()}`} of={occurrence} />
      ))}
      {cards.slice(0, Math.max(0, most - meetings.length)).map((card) => (
        <DueEntry key={card.publicId} card={card} />
      ))}
      {showWeek !== null && count > most && (
        <button type="button" className={styles.moreLink} onClick={showWeek}>
          {texts.calendar.more(count - most)}
        </button>
      )}
    </section>
  );
}

function MeetingEntry({ of: { meeting, at } }: { of: Occurrence }) {
  const { openMeeting } = useCalendar();
  return (
    <button
      type="button"
      className={`${styles.entry} ${styles.meeting}`}
      aria-haspopup="dialog"
      onClick={() => openMeeting(meeting)}
    >
      <Icon of={Video} />
      <time lang={datesLang} dateTime={at.toISOString()}>
        {timeInWords(at)}
      </time>
      <span className="truncate" dir="auto">
        {meeting.title}
      </span>
    </button>
  );
}
