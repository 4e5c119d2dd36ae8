// The calendar of a workspace: the cards of its boards that are due in a month, a week or a day (specification 4.12).

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type FieldFilter, filterShape, hasValues } from "../access/cardFields.js";
import { callerIn, type Unchecked, type WorkspaceAccess, workspaceColumns } from "../access/guards.js";
import { type LaggingAnswer, lagging } from "../access/lagging.js";
import type { Signed } from "../api/context.js";
import { readInstant } from "../api/instants.js";
import { answering, orRendered, Rendered } from "../api/rendered.js";
import { BoardId, CardNumber, MemberId, Priority, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { bigints } from "../db/client.js";
import { containing } from "../db/patterns.js";
import type { Reads } from "../db/replicas.js";
import {
  type CalendarView,
  type CalendarWindow,
  isTimeZone,
  TIME_ZONE_FORM,
  todayIn,
  windowOf,
} from "./calendarWindows.js";
import { ofWorkspace } from "./shapes.js";

const exists = (date: string) => readInstant(date) !== null;
const AnchorDate = z
  .string()
  .regex(/^(?!0000)\d{4}-\d{2}-\d{2}$/, { error: "Must be a date such as 2026-11-20", abort: true })
  .refine(exists, "No such date")
  .meta({
    format: "date",
    description: "The date around which to show the month, week or day; today in `timeZone` by default.",
    examples: ["2026-11-20"],
  });

const Month = z
  .string()
  .regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/, { error: "Must be a month such as 2026-11", abort: true })
  .refine((month) => exists(`${month}-01`), "No such month")
  .meta({
    description:
      "Legacy: the month view anchored on the first day of this month, whatever `view` says. Has no effect beside `anchor`, which replaces it.",
    examples: ["2026-11"],
    deprecated: true,
  });

const TimeZone = z
  .string()
  .max(64, { abort: true })
  .regex(TIME_ZONE_FORM, { error: "Must be an IANA name such as Europe/Rome", abort: true })
  .refine(isTimeZone, "No such time zone")
  .default("UTC")
  .meta({ description: "The IANA name of the time zone in which days begin.", examples: ["Europe/Rome"] });

const CalendarCard = z
  .object({
    publicId: z.string(),
    title: z.string(),
    cardNumber: CardNumber,
    dueDate: Timestamp.meta({ description: "When the card is due." }),
    completedAt: Timestamp.nullable().meta({ description: "When the card was completed; null while it is open." }),
    priority: Priority,
    boardPublicId: z.string(),
    boardName: z.string(),
    listName: z.string(),
  })
  .meta({ id: "CalendarCard", description: "A card with a due date, as a calendar shows it." });

interface CardFilter extends FieldFilter {
  boardPublicId?: string | undefined;
  memberPublicId?: string | undefined;
  search?: string | undefined;
}

/** A card's place in the order of a calendar. */
type Place = Pick<z.output<typeof CalendarCard>, "dueDate" | "cardNumber">;

/** How many cards are read, and written, at once. */
const PAGE_SIZE = 2000;

/** Comes behind a place. The first condition is one that the index of due dates knows. */
const isBehind = ({ dueDate, cardNumber }: Place) => sql`and c.due_date >= ${dueDate}::timestamptz
  and (c.due_date, c.card_number) > (${dueDate}::timestamptz, ${cardNumber}::int)`;

/** A condition on a filter, where that is given. */
const given = (filter: string | undefined, condition: (filter: string) => SQL): SQL =>
  filter === undefined ? sql`` : condition(filter);

const isAbout = (search: string) =>
  sql`(c.title ilike ${containing(search)}::text or c.description ilike ${containing(search)}::text)`;

const isAssigned = (workspaceId: number, memberPublicId: string) => sql`exists (
  select from card_member x join member y on y.workspace_id = ${workspaceId}::bigint and y.id = x.member_id
  where x.workspace_id = ${workspaceId}::bigint and x.card_id = c.id and y.public_id = ${memberPublicId}::text)`;

type CalendarRow = Unchecked<WorkspaceAccess> & (z.output<typeof CalendarCard> | { publicId: null });

/** For each day on which a week may begin, from 0, Sunday, the window that is shown. */
type WindowsByWeekStart = readonly CalendarWindow[];

function windowsOf(view: CalendarView, day: string, timeZone: string): WindowsByWeekStart {
  const weekStartDays = view === "week" ? [0, 1, 2, 3, 4, 5, 6] : [0];
  const windows = weekStartDays.map((weekStartDay) => windowOf(view, day, timeZone, weekStartDay));
  return Array.from({ length: 7 }, (_, weekStartDay) => windows[weekStartDay % windows.length]).filter(
    (window) => window !== undefined,
  );
}

/**
 * The caller's place in a workspace, and the open cards that are due in the window of its week start, on the boards that the
 * caller sees. The window comes first, by its index, whatever the filters: left to choose, PostgreSQL begins with all cards of an
 * assignee, and joins each with every board.
 */
const dueCards = (
  ctx: Signed,
  { workspaceId, isAsked, sees }: Pick<LaggingAnswer, "workspaceId" | "isAsked" | "sees">,
  windows: WindowsByWeekStart,
  { boardPublicId, memberPublicId, search, ...fields }: CardFilter,
  after: Place | null,
) => sql`
  with reader as materialized (
    select ${workspaceColumns},
      to_timestamp((${bigints(windows.map(({ fromMs }) => fromMs))})[w.week_start_day + 1]::float8 / 1000) as "from",
      to_timestamp((${bigints(windows.map(({ toMs }) => toMs))})[w.week_start_day + 1]::float8 / 1000) as "to"
    from workspace w ${callerIn(ctx)}
    where ${isAsked}
  ), due as materialized (
    select c.id, c.board_id, c.list_id, c.public_id, c.title, c.card_number, c.due_date, c.completed_at, c.priority
    from reader r
    join card c on c.workspace_id = ${workspaceId}::bigint and c.archived_at is null and c.due_date >= r."from" and c.due_date < r."to"
      and ${hasValues("c", fields)}
      ${after === null ? sql`` : isBehind(after)}
      ${given(search, (wanted) => sql`and ${isAbout(wanted)}`)}
  )
  select m."workspaceId", m."workspacePublicId", m."memberId", m."memberPublicId", m.role, d.*
  from reader m
  left join lateral (
    select c.public_id as "publicId", c.title, c.card_number as "cardNumber", c.due_date as "dueDate",
      c.completed_at as "completedAt", c.priority, b.public_id as "boardPublicId", b.name as "boardName", l.name as "listName"
    from due c
    join board b on b.workspace_id = ${workspaceId}::bigint and b.id = c.board_id
    join list l on l.workspace_id = ${workspaceId}::bigint and l.id = c.list_id
    left join board_member bm on bm.workspace_id = ${workspaceId}::bigint and bm.board_id = b.id and bm.member_id = m."memberId"
    where b.archived_at is null
      and ${sees}
      ${given(boardPublicId, (wanted) => sql`and b.public_id = ${wanted}::text`)}
      ${given(memberPublicId, (wanted) => sql`and ${isAssigned(workspaceId, wanted)}`)}
    order by c.due_date, c.card_number limit ${PAGE_SIZE}::int
  ) d on true
  order by d."dueDate", d."cardNumber"`;

const CalendarCards = z.array(CalendarCard);

/**
 * The cards that are due in a window of a workspace's calendar, as the caller sees them, page by page. Their rows may come from a
 * replica. Of more than one page, a card whose date changes meanwhile may be left out, or come twice.
 */
async function* readCalendar(
  ctx: Signed & { replica: Reads },
  workspacePublicId: string,
  windows: WindowsByWeekStart,
  filter: CardFilter,
): AsyncGenerator<z.output<typeof CalendarCards>> {
  const reading = await lagging(ctx, workspacePublicId);
  let last: Place | null = null;
  do {
    const rows: CalendarRow[] = await reading.replica.rows(dueCards(ctx, reading, windows, filter, last));
    reading.authorise(rows[0]);
    const cards = CalendarCards.parse(rows.filter((row) => row.publicId !== null));
    yield cards;
    last = cards.length < PAGE_SIZE ? null : (cards.at(-1) ?? null);
  } while (last !== null);
}

export const calendars = {
  calendar: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/calendar",
        tags: ["Calendar"],
        summary: "Get cards with due dates for a calendar view",
        description:
          "Lists the cards of all boards that are due in the month, week or day that contains `anchor`, sorted by due date and then by number. Days begin in `timeZone`, weeks on the `weekStartDay` of the workspace. Archived cards, archived boards, and boards that the caller cannot see are left out. A filter that names something the caller cannot see gives an empty list. Requires `workspace:view`.",
        successDescription: "The cards that are due.",
      },
    })
    .input(
      z.object({
        ...ofWorkspace,
        boardPublicId: BoardId.meta({ description: "Only cards of this board." }).optional(),
        memberPublicId: MemberId.meta({ description: "Only cards that are assigned to this member." }).optional(),
        search: Text(1, 200)
          .meta({ description: "Only cards whose title or description contains this text, in any case." })
          .optional(),
        ...filterShape(),
        view: z.enum(["month", "week", "day"]).default("month").meta({ description: "How many days are shown." }),
        anchor: AnchorDate.optional(),
        month: Month.optional(),
        timeZone: TimeZone,
      }),
    )
    .output(orRendered(CalendarCards))
    .query(async ({ ctx, input: { workspacePublicId, view, anchor, month, timeZone, ...filter } }) => {
      const isLegacy = anchor === undefined && month !== undefined;
      const day = isLegacy ? `${month}-01` : (anchor ?? todayIn(timeZone));
      const windows = windowsOf(isLegacy ? "month" : view, day, timeZone);
      const pages = readCalendar(ctx, workspacePublicId, windows, filter);
      return answering<typeof CalendarCards>(await Rendered.ofPages(pages));
    }),
};
