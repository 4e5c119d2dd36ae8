// Reminders of due dates: each person is notified once of each due date of a card, as long before it as their settings say
// (capabilities section 0, Notifications).

import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { Temporal } from "temporal-polyfill";
import { memberPlaceOn, seesBoard } from "../access/boardVisibility.js";
import type { Acting } from "../api/acting.js";
import { changeAsSystem } from "../api/systemChange.js";
import { knownTimeZone } from "../api/timeZones.js";
import type { Config } from "../config.js";
import type { IsAsked } from "../db/acrossServers.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { bigints, type Database, json } from "../db/client.js";
import {
  account,
  board,
  boardMember,
  card,
  cardMember,
  member,
  notificationSettings,
  reminder,
  workspaceCounter,
} from "../db/schema/index.js";
import { computed, type RowOf, selection } from "../db/selections.js";
import { SWEPT_AT_ONCE, type Sweep } from "../db/sweeps.js";
import { sweptByWorkspace } from "../db/sweptWorkspaces.js";
import { addRows } from "../db/unitOfWork.js";
import { notify } from "../events/newNotifications.js";
import { DEFAULT_SETTINGS } from "../user/notificationSettings.js";

/** For how long after a due date people are still reminded of it: the service may have been down. */
const LATE_HOURS = 1;
const LATE = sql.raw(`interval '${LATE_HOURS} hours'`);
/** The most by which the beginning of a day in a time zone differs from midnight UTC. */
const ZONES_APART = sql.raw("interval '14 hours'");
/** The default time before a due date at which people are reminded, in minutes. */
const DUE_MINUTES = sql.raw(String(DEFAULT_SETTINGS.dueMinutes));

const candidateFields = {
  workspaceId: workspaceCounter.workspaceId,
  cardId: computed<number>(),
  memberId: computed<number>(),
  accountId: computed<number>(),
  dueDate: computed<string>(),
  dueHasTime: computed<boolean>(),
};

/** A person to be reminded of a card. */
interface Candidate extends RowOf<typeof candidateFields> {}

const candidateRow = selection(candidateFields);

/** The longest time before a due date at which anybody wants to be reminded, in minutes. */
const longestAhead = sql`(
  select greatest(${DUE_MINUTES}, max(${notificationSettings.dueMinutes})) from ${notificationSettings})`;
/** The time before a due date at which a person is reminded, in minutes; null if they want no reminder. */
const ahead = sql<number | null>`case when ${notificationSettings.accountId} is null then ${DUE_MINUTES}
  else ${notificationSettings.dueMinutes} end`;

/** The days of which people of a time zone are reminded now: after one date, up to another. */
interface RemindedDays {
  timeZone: string;
  ahead: number;
  after: string;
  until: string;
}

const zoneRow = selection({ timeZone: account.timeZone, ahead, now: sql<string>`now()` });

/** The days of which people are reminded now, per time zone and time ahead, because databases do not know every time zone. */
async function remindedDays(db: Database): Promise<RemindedDays[]> {
  const zones = await db.read(
    zoneRow,
    sql`
      select distinct ${zoneRow} from ${account}
      left join ${notificationSettings} on ${notificationSettings.accountId} = ${account.id}
      where ${account.deletedAt} is null`,
  );
  return zones.flatMap(({ timeZone, ahead: minutes, now }) => {
    if (minutes === null) return [];
    const instant = Temporal.Instant.from(now);
    const dateAt = (at: Temporal.Instant) => at.toZonedDateTimeISO(knownTimeZone(timeZone)).toPlainDate().toString();
    const after = dateAt(instant.subtract({ hours: LATE_HOURS }));
    return [{ timeZone, ahead: minutes, after, until: dateAt(instant.add({ minutes })) }];
  });
}

/** The days as one document, because Citus takes no rows of a function inside of the lateral join. */
const isRemindedDay = (days: readonly RemindedDays[]) => {
  const byZone: Record<string, Record<number, [after: string, until: string]>> = {};
  for (const { timeZone, ahead: minutes, after, until } of days) {
    byZone[timeZone] = { ...byZone[timeZone], [minutes]: [after, until] };
  }
  const ofReader = sql`(${json(byZone)} -> ${account.timeZone} -> (${ahead})::text)`;
  return sql`(${card.dueDate} > (${ofReader} ->> 0)::timestamptz and ${card.dueDate} <= (${ofReader} ->> 1)::timestamptz)`;
};

const assigned = (isAsked: IsAsked, condition = sql``) => sql`exists (
  select from ${cardMember} where ${cardMember.workspaceId} = ${workspaceCounter.workspaceId} and ${cardMember.cardId} = ${card.id}
    and ${isAsked(cardMember.workspaceId)} ${condition})`;

const dueInWorkspace = (days: readonly RemindedDays[], isAsked: IsAsked) => sql`
  select ${card.id} as "cardId", ${member.id} as "memberId", ${member.accountId} as "accountId", ${card.dueDate} as "dueDate",
    ${card.dueHasTime} as "dueHasTime"
  from ${card}
  join ${board} on ${board.workspaceId} = ${workspaceCounter.workspaceId} and ${board.id} = ${card.boardId} and ${board.archivedAt} is null
    and ${isAsked(board.workspaceId)}
  join ${member} on ${member.workspaceId} = ${workspaceCounter.workspaceId} and ${isAsked(member.workspaceId)}
    and ${member.accountId} is not null and case
    when ${assigned(isAsked)} then ${assigned(isAsked, sql`and ${cardMember.memberId} = ${member.id}`)}
    else ${member.accountId} = ${card.createdBy} end
  join ${account} on ${account.id} = ${member.accountId}
  left join ${notificationSettings} on ${notificationSettings.accountId} = ${member.accountId}
  where ${card.workspaceId} = ${workspaceCounter.workspaceId} and ${isAsked(card.workspaceId)} and ${card.archivedAt} is null and ${card.completedAt} is null
    and ${card.dueDate} > now() - ${LATE} - ${ZONES_APART}
    and ${card.dueDate} <= now() + interval '1 minute' * ${longestAhead} + ${ZONES_APART}
    and case when ${card.dueHasTime}
      then ${card.dueDate} > now() - ${LATE} and ${card.dueDate} - interval '1 minute' * ${ahead} <= now()
      else ${isRemindedDay(days)} end
    and not exists (
      select from ${reminder} where ${reminder.workspaceId} = ${workspaceCounter.workspaceId} and ${reminder.cardId} = ${card.id}
        and ${isAsked(reminder.workspaceId)}
        and ${reminder.accountId} = ${member.accountId} and ${reminder.dueDate} = ${card.dueDate})`;

/**
 * People whose reminder of a card is due: its assignees, or its creator if nobody is assigned. Each workspace is visited for
 * its own, in the order of its due dates. A lateral join with the counters, because they lie on the server of their workspace.
 */
async function candidates(db: Database, isAsked: IsAsked): Promise<Candidate[]> {
  const due = dueInWorkspace(await remindedDays(db), isAsked);
  return db.read(
    candidateRow,
    acrossWorkspaces(
      "cards that are due",
      sql`select ${candidateRow}, due.* from ${workspaceCounter} cross join lateral (${due}) due
        where ${isAsked(workspaceCounter.workspaceId)} limit ${SWEPT_AT_ONCE}::int`,
    ),
  );
}

/** Of the candidates of a workspace, those who still are to be reminded, behind its lock; and whether they see the card. */
async function stillDue(tx: Acting, candidates: readonly Candidate[]) {
  const cardIds = bigints(candidates.map(({ cardId }) => cardId));
  const memberIds = bigints(candidates.map(({ memberId }) => memberId));
  const rows = await tx.db
    .select({
      cardId: card.id,
      dueDate: card.dueDate,
      dueHasTime: card.dueHasTime,
      memberId: member.id,
      accountId: member.accountId,
      role: member.role,
      visibility: board.visibility,
      onBoard: boardMember.memberId,
    })
    .from(card)
    .innerJoin(sql`unnest(${cardIds}, ${memberIds}) as wanted(card_id, member_id)`, sql`${card.id} = wanted.card_id`)
    .innerJoin(board, and(eq(board.workspaceId, tx.workspaceId), eq(board.id, card.boardId)))
    .innerJoin(member, and(eq(member.workspaceId, tx.workspaceId), sql`${member.id} = wanted.member_id`))
    .leftJoin(boardMember, memberPlaceOn(tx.workspaceId, card.boardId))
    .where(
      and(
        eq(card.workspaceId, tx.workspaceId),
        isNotNull(card.dueDate),
        isNull(card.completedAt),
        isNull(card.archivedAt),
      ),
    );
  const byKey = new Map(rows.map((row) => [`${row.cardId} ${row.memberId}`, row]));
  return candidates.flatMap(({ cardId, memberId, accountId, dueDate, dueHasTime }) => {
    const now = byKey.get(`${cardId} ${memberId}`);
    if (now === undefined || now.accountId !== accountId || now.dueDate === null) return [];
    if (now.dueHasTime !== dueHasTime || Date.parse(now.dueDate) !== Date.parse(dueDate)) return [];
    return [{ cardId, accountId, dueDate, sees: seesBoard(now.role, now.visibility, now.onBoard !== null) }];
  });
}

/** Reminds people of a workspace, and forgets reminders of dates long past. */
async function remind(tx: Acting, candidates: readonly Candidate[]): Promise<void> {
  const due = await stillDue(tx, candidates);
  // Also for people who do not see the card, so that they are not looked up again each minute.
  const rows = due.map(({ cardId, accountId, dueDate }) => ({ cardId, accountId, dueDate }));
  addRows(tx, reminder, rows);
  const seen = due.filter(({ sees }) => sees);
  notify(
    tx,
    { actorId: null, cardId: null },
    seen.map(({ cardId, accountId }) => ({ type: "card.due", cardId, accountId })),
  );
  await tx.write(sql`
    delete from ${reminder} where ${reminder.workspaceId} = ${tx.workspaceId}::bigint
      and ${reminder.dueDate} < now() - interval '7 days'`);
}

/** Sweep: reminds people of cards that are due. The settings say whether they also get mail. */
export const remindersOf =
  (config: Pick<Config, "mail">): Sweep =>
  (db) =>
    sweptByWorkspace(db, {
      limit: SWEPT_AT_ONCE,
      find: (isAsked) => candidates(db, isAsked),
      handle: async (workspaceId, own) => {
        await changeAsSystem(db, workspaceId, (tx) => remind(tx, own), { config });
        return own.length;
      },
    });
