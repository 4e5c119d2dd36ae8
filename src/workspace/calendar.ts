// The calendar of a workspace: the cards of its boards that are due in a month, a week or a day (specification 4.12).

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { accessFields } from "../access/guards.js";
import { callerIn, callerKey } from "../access/lookups.js";
import { answerOnReplica, type ReplicaAnswer } from "../access/replicaReads.js";
import type { Signed } from "../api/context.js";
import { answering, orRendered, Rendered } from "../api/rendered.js";
import { BoardId, CardNumber, MemberId, Priority, Text, Timestamp } from "../api/shapes.js";
import { TimeZone } from "../api/timeZones.js";
import { protectedProcedure } from "../api/trpc.js";
import { type FieldFilter, filterShape, hasValues } from "../card/model/cardFields.js";
import { isAbout, isAssigned } from "../card/model/cardMatches.js";
import { readInstant } from "../db/instants.js";
import type { Reads } from "../db/replicas.js";
import { board, boardMember, card, list, member, workspace } from "../db/schema/index.js";
import { orNull, selection } from "../db/selections.js";
import { todayIn, type WindowsByWeekStart, windowsOf } from "./calendarWindows.js";
import { isDueIn, windowBounds } from "./dueWindows.js";
import { ofWorkspace } from "./workspaceShapes.js";

const exists = (date: string) => readInstant(date) !== null;
const AnchorDate = z
  .string()
  .regex(/^(?!0000)\d{4}-\d{2}-\d{2}$/, { error: "Must be a date such as 2026-11-20", abort: true })
  .refine(exists, "This date does not exist")
  .meta({
    format: "date",
    description: "The date around which to show the month, week or day; today in `timeZone` by default.",
    examples: ["2026-11-20"],
  });

const Month = z
  .string()
  .regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/, { error: "Must be a month such as 2026-11", abort: true })
  .refine((month) => exists(`${month}-01`), "This month does not exist")
  .meta({
    description: "Legacy: shows this month, whatever `view` says. Ignored if `anchor` is given.",
    examples: ["2026-11"],
    deprecated: true,
  });

const CalendarTimeZone = TimeZone.default("UTC").meta({
  description: "The IANA name of the time zone in which days begin.",
  examples: ["Europe/Rome"],
});

const CalendarCard = z
  .object({
    publicId: z.string(),
    title: z.string(),
    cardNumber: CardNumber,
    dueDate: Timestamp.meta({ description: "When the card is due: an instant, or midnight UTC of a day." }),
    dueHasTime: z
      .boolean()
      .meta({ description: "False if `dueDate` is a day, without a time. Present if `days` is true." })
      .optional(),
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

/** The position of a card in the order of a calendar. */
type CalendarPosition = Pick<z.output<typeof CalendarCard>, "dueDate" | "cardNumber">;

/** The number of cards that are read and written at a time. */
const PAGE_SIZE = 2000;

/** Comes after a position. The first condition uses the index of due dates. */
const isBehind = ({ dueDate, cardNumber }: CalendarPosition) => sql`and ${card.dueDate} >= ${dueDate}::timestamptz
  and (${card.dueDate}, ${card.cardNumber}) > (${dueDate}::timestamptz, ${cardNumber}::int)`;

/** The condition of a filter, if there is one. */
const filteredBy = (filter: string | undefined, condition: (filter: string) => SQL): SQL =>
  filter === undefined ? sql`` : condition(filter);

const calendarFields = {
  publicId: card.publicId,
  title: card.title,
  cardNumber: card.cardNumber,
  dueDate: card.dueDate,
  dueHasTime: card.dueHasTime,
  completedAt: card.completedAt,
  priority: card.priority,
  boardPublicId: board.publicId,
  boardName: board.name,
  listName: list.name,
};
const readerInWorkspace = selection(accessFields);
const calendarCard = selection(calendarFields);
/** The caller's place with a card, all of which is null where nothing is due. */
const dueRow = selection({ ...accessFields, ...orNull(calendarFields) });

/**
 * The caller's membership in a workspace, and the open cards that are due in the window of its week start, on the boards that the
 * caller sees. The window comes first, by its index: otherwise PostgreSQL begins with all cards of an assignee, and joins each with
 * every board.
 */
const dueCards = (
  ctx: Signed,
  { workspaceId, isAsked, sees }: Pick<ReplicaAnswer, "workspaceId" | "isAsked" | "sees">,
  windows: WindowsByWeekStart,
  { boardPublicId, memberPublicId, search, ...fields }: CardFilter,
  after: CalendarPosition | null,
) => sql`
  with reader as materialized (
    select ${readerInWorkspace}, ${windowBounds(windows)}
    from ${workspace} ${callerIn(callerKey(ctx))}
    where ${isAsked}
  ), due as materialized (
    select ${card.id}, ${card.boardId}, ${card.listId}, ${card.publicId}, ${card.title}, ${card.cardNumber}, ${card.dueDate},
      ${card.dueHasTime}, ${card.completedAt}, ${card.priority}
    from reader
    join ${card} on ${card.workspaceId} = ${workspaceId}::bigint and ${card.archivedAt} is null
      and ${isDueIn(sql.raw("reader"))}
      and ${hasValues(fields)}
      ${after === null ? sql`` : isBehind(after)}
      ${filteredBy(search, (wanted) => sql`and ${isAbout(wanted)}`)}
  )
  select ${member}."workspaceId", ${member}."workspacePublicId", ${member}."memberId", ${member}."memberPublicId", ${member.role}, shown.*
  from reader ${member}
  left join lateral (
    select ${calendarCard} from due ${card}
    join ${board} on ${board.workspaceId} = ${workspaceId}::bigint and ${board.id} = ${card.boardId}
    join ${list} on ${list.workspaceId} = ${workspaceId}::bigint and ${list.id} = ${card.listId}
    left join ${boardMember} on ${boardMember.workspaceId} = ${workspaceId}::bigint
      and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${member}."memberId"
    where ${board.archivedAt} is null
      and ${sees}
      ${filteredBy(boardPublicId, (wanted) => sql`and ${board.publicId} = ${wanted}::text`)}
      ${filteredBy(memberPublicId, (wanted) => sql`and ${isAssigned(workspaceId, wanted)}`)}
    order by ${card.dueDate}, ${card.cardNumber} limit ${PAGE_SIZE}::int
  ) shown on true
  order by shown."dueDate", shown."cardNumber"`;

const CalendarCards = z.array(CalendarCard);

/**
 * The cards that are due in a window of a workspace's calendar, as the caller sees them, page by page. The rows may come from a
 * replica. A card whose date changes between pages may be missing or appear twice.
 */
async function* readCalendar(
  ctx: Signed & { replica: Reads },
  workspacePublicId: string,
  windows: WindowsByWeekStart,
  { days, ...filter }: CardFilter & { days: boolean },
): AsyncGenerator<z.output<typeof CalendarCards>> {
  const reading = await answerOnReplica(ctx, workspacePublicId);
  let last: CalendarPosition | null = null;
  do {
    const rows = await reading.replica.read(dueRow, dueCards(ctx, reading, windows, filter, last));
    reading.authorise(rows[0]);
    const due = rows.filter((row) => row.publicId !== null);
    const cards = CalendarCards.parse(days ? due : due.map(({ dueHasTime: _, ...others }) => others));
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
          "Lists the cards of all boards that are due in the month, week or day that contains `anchor`, sorted by due date and then by number. Days begin in `timeZone`; a card that is due on a day, without a time, belongs to that date in every time zone. Weeks begin on the `weekStartDay` of the workspace. Archived cards, archived boards, and boards that the caller cannot see are left out. A filter that names something the caller cannot see gives an empty list. Requires `workspace:view`.",
        successDescription: "The cards that are due.",
      },
    })
    .input(
      z.strictObject({
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
        timeZone: CalendarTimeZone,
        days: z
          .boolean()
          .default(false)
          .meta({ description: "Whether to return `dueHasTime`, which tells days from instants." }),
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
