// The calendar of a workspace: cards by the day on which they are due, and meetings. Loaded when it is first shown.

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Plus } from "lucide";
import { type Ref, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { Notice } from "../board/Notice.js";
import { Undo } from "../board/undo/Undo.js";
import { failureOf } from "../client.js";
import { Page } from "../frame/Frame.js";
import { ReadPage } from "../frame/ReadPage.js";
import { addDays, addMonths, dateOf, dayOf, daysOf, type View, WEEK, weeksOf } from "../parts/days.js";
import { Icon } from "../parts/Icon.js";
import { workspaceSettings } from "../session/boards.js";
import { texts } from "../texts/later.js";
import * as styles from "./Calendar.module.css";
import { CalendarContext, type Shown } from "./context.js";
import { Day } from "./Day.js";
import { DueDialog } from "./DueDialog.js";
import { MeetingDialog } from "./MeetingDialog.js";
import { type DayEntries, type DueCard, type Meeting, useEntries } from "./queries.js";
import { useDayDrag } from "./useDayDrag.js";
import { useDueMoves } from "./useDueMoves.js";
import { useLive } from "./useLive.js";
import { monthInWords, weekdayInWords } from "./words.js";

interface PageProps {
  workspacePublicId: string;
}

export default function CalendarPage({ workspacePublicId }: PageProps) {
  const query = useQuery(workspaceSettings(workspacePublicId));
  return (
    <ReadPage of={query}>
      {({ me, weekStartDay }) => (
        <Calendar
          workspacePublicId={workspacePublicId}
          weekStartDay={weekStartDay}
          may={(permission) => me.permissions.includes(permission)}
        />
      )}
    </ReadPage>
  );
}

const DAY = /^[1-9]\d{3}-\d{2}-\d{2}$/;

/** The view and the day that the address names: else this month. */
function useShownDay() {
  const [params, setParams] = useSearchParams();
  const view: View = params.get("view") === "week" ? "week" : "month";
  const named = params.get("day") ?? "";
  const today = dayOf(new Date());
  const day = DAY.test(named) ? dayOf(dateOf(named)) : today;
  const show = (next: View, on: string) =>
    setParams({ ...(next === "week" && { view: next }), ...(on !== today && { day: on }) }, { replace: true });
  return { view, day, today, show };
}

interface Props extends PageProps {
  weekStartDay: number;
  may: Shown["may"];
}

function Calendar({ workspacePublicId, weekStartDay, may }: Props) {
  const shownDay = useShownDay();
  const { view, day } = shownDay;
  const weeks = weeksOf(view, day, weekStartDay);
  const { days, unplanned, error, isRead } = useEntries(workspacePublicId, weeks, may("meeting:view"));
  const [openMeeting, setOpenMeeting] = useState<Meeting | "new" | null>(null);
  const [dueCard, setDueCard] = useState<DueCard | null>(null);
  const { undoables, refusal, move, moveBy } = useDueMoves(workspacePublicId);
  useLive(workspacePublicId);
  const grid = useRef<HTMLDivElement>(null);
  const cards = [...days.values()].flatMap((entries) => entries.cards);
  const over = useDayDrag(grid, cards, may("card:edit"), move);
  const shown: Shown = { may, move, moveBy, openMeeting: setOpenMeeting, askForDay: setDueCard };
  const heading = monthInWords(view === "month" ? day : (weeks[0] ?? day));
  return (
    <Page
      heading={heading}
      tools={<Tools of={shownDay} plan={may("meeting:edit") ? () => setOpenMeeting("new") : null} />}
    >
      {(refusal ?? error) !== null && (
        <p className="banner bad" role="alert">
          {refusal ?? failureOf(error).text}
        </p>
      )}
      <CalendarContext value={shown}>
        <Weeks ref={grid} weeks={weeks} of={shownDay} days={days} isRead={isRead} over={over} />
        {unplanned.length > 0 && <Unplanned meetings={unplanned} open={setOpenMeeting} />}
      </CalendarContext>
      <div className="toasts">
        <Notice />
        <Undo of={undoables} />
      </div>
      {openMeeting !== null && (
        <MeetingDialog
          workspacePublicId={workspacePublicId}
          meeting={openMeeting === "new" ? null : openMeeting}
          day={day}
          canEdit={may("meeting:edit")}
          close={() => setOpenMeeting(null)}
        />
      )}
      {dueCard !== null && <DueDialog card={dueCard} move={move} close={() => setDueCard(null)} />}
    </Page>
  );
}

type ShownDay = ReturnType<typeof useShownDay>;

/** Goes to other days and views, and plans a meeting where that is allowed. */
function Tools({ of: { view, day, today, show }, plan }: { of: ShownDay; plan: (() => void) | null }) {
  const text = texts.calendar;
  const step = (by: number) => show(view, view === "month" ? addMonths(day, by) : addDays(day, by * WEEK));
  return (
    <>
      <div className={styles.dayTools}>
        <button type="button" className="btn plain icon" aria-label={text.before[view]} onClick={() => step(-1)}>
          <Icon of={ChevronLeft} />
        </button>
        <button type="button" className="btn" onClick={() => show(view, today)}>
          {text.today}
        </button>
        <button type="button" className="btn plain icon" aria-label={text.after[view]} onClick={() => step(1)}>
          <Icon of={ChevronRight} />
        </button>
      </div>
      <fieldset className="segments" aria-label={text.view}>
        {(["month", "week"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={one === view} onClick={() => show(one, day)}>
            {text.views[one]}
          </button>
        ))}
      </fieldset>
      {plan !== null && (
        <button type="button" className="btn" aria-label={text.newMeeting} onClick={plan}>
          <Icon of={Plus} />
          <span className="wide">{text.newMeeting}</span>
        </button>
      )}
    </>
  );
}

interface WeeksProps {
  ref: Ref<HTMLDivElement>;
  weeks: readonly string[];
  of: ShownDay;
  days: ReadonlyMap<string, DayEntries>;
  isRead: boolean;
  /** The day over which a card is dragged. */
  over: string | null;
}

/** The classes of periods by their weeks, of which most have five. */
const WEEKS: Readonly<Record<number, string | undefined>> = { 1: styles.weeks1, 4: styles.weeks4, 6: styles.weeks6 };

function Weeks({ ref, weeks, of: { view, day, today, show }, days, isRead, over }: WeeksProps) {
  const classes = [styles.month, view === "week" && styles.week, WEEKS[weeks.length]];
  return (
    <div ref={ref} className={classes.filter(Boolean).join(" ")} aria-busy={!isRead}>
      {daysOf(weeks[0] ?? day).map((one) => (
        <span key={one} className={styles.weekday} aria-hidden="true">
          {weekdayInWords(one)}
        </span>
      ))}
      {weeks.flatMap(daysOf).map((one) => (
        <Day
          key={one}
          day={one}
          entries={days.get(one)}
          isToday={one === today}
          isOff={view === "month" && !one.startsWith(day.slice(0, -2))}
          isOver={one === over}
          showWeek={view === "month" ? () => show("week", one) : null}
        />
      ))}
    </div>
  );
}

function Unplanned({ meetings, open }: { meetings: readonly Meeting[]; open: (meeting: Meeting) => void }) {
  return (
    <section className={styles.unplanned} aria-label={texts.calendar.unplanned}>
      <span className="hint">{texts.calendar.unplanned}</span>
      {meetings.map((meeting) => (
        <button key={meeting.publicId} type="button" className="btn s" onClick={() => open(meeting)}>
          {meeting.title}
        </button>
      ))}
    </section>
  );
}
