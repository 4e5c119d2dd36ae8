// Reminders of due dates: each person is notified once of each due date of a card, as long before it as their settings say
// (capabilities section 0, Notifications).

import { and, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import type { Acting } from "../api/acting.js";
import { changeAsSystem } from "../api/systemChange.js";
import type { Config } from "../config.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Database } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import {
  board,
  boardMember,
  card,
  cardMember,
  member,
  notificationSettings,
  reminder,
  workspaceCounter,
} from "../db/schema/index.js";
import { beside, type RowOf, selection } from "../db/selections.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";
import { notify } from "../events/newNotifications.js";
import { DEFAULT_SETTINGS } from "../user/notificationSettings.js";

/** For how long after a due date people are still reminded of it: the service may have been down. */
const LATE = sql.raw("interval '1 hour'");
/** The default time before a due date at which people are reminded, in minutes. */
const DUE_MINUTES = sql.raw(String(DEFAULT_SETTINGS.dueMinutes));

const candidateFields = {
  workspaceId: workspaceCounter.workspaceId,
  cardId: beside<number>(),
  memberId: beside<number>(),
  accountId: beside<number>(),
  dueDate: beside<string>(),
};

/** A person to be reminded of a card. */
interface Candidate extends RowOf<typeof candidateFields> {}

const candidateRow = selection(candidateFields);

/** The longest time before a due date at which anybody wants to be reminded, in minutes. */
const longestAhead = sql`(
  select greatest(${DUE_MINUTES}, max(${notificationSettings.dueMinutes})) from ${notificationSettings})`;
/** The time before a due date at which a person is reminded, in minutes; null if they want no reminder. */
const ahead = sql`case when ${notificationSettings.accountId} is null then ${DUE_MINUTES}
  else ${notificationSettings.dueMinutes} end`;

const assigned = (condition = sql``) => sql`exists (
  select from ${cardMember} where ${cardMember.workspaceId} = ${workspaceCounter.workspaceId} and ${cardMember.cardId} = ${card.id}
    ${condition})`;

const dueInWorkspace = sql`
  select ${card.id} as "cardId", ${member.id} as "memberId", ${member.accountId} as "accountId", ${card.dueDate} as "dueDate"
  from ${card}
  join ${board} on ${board.workspaceId} = ${workspaceCounter.workspaceId} and ${board.id} = ${card.boardId} and ${board.archivedAt} is null
  join ${member} on ${member.workspaceId} = ${workspaceCounter.workspaceId} and ${member.accountId} is not null and case
    when ${assigned()} then ${assigned(sql`and ${cardMember.memberId} = ${member.id}`)}
    else ${member.accountId} = ${card.createdBy} end
  left join ${notificationSettings} on ${notificationSettings.accountId} = ${member.accountId}
  where ${card.workspaceId} = ${workspaceCounter.workspaceId} and ${card.archivedAt} is null and ${card.completedAt} is null
    and ${card.dueDate} > now() - ${LATE} and ${card.dueDate} <= now() + interval '1 minute' * ${longestAhead}
    and ${card.dueDate} - interval '1 minute' * ${ahead} <= now()
    and not exists (
      select from ${reminder} where ${reminder.workspaceId} = ${workspaceCounter.workspaceId} and ${reminder.cardId} = ${card.id}
        and ${reminder.accountId} = ${member.accountId} and ${reminder.dueDate} = ${card.dueDate})`;

/**
 * People whose reminder of a card is due: its assignees, or whoever created it where nobody is assigned. Each workspace is visited for
 * its own, in the order of its due dates. A lateral join with the counters, because they lie on the server of their workspace.
 */
const candidates = (db: Database, limit: number): Promise<Candidate[]> =>
  db.read(
    candidateRow,
    acrossWorkspaces(
      "cards that are due",
      sql`select ${candidateRow}, due.* from ${workspaceCounter} cross join lateral (${dueInWorkspace}) due limit ${limit}::int`,
    ),
  );

/** Of the candidates of a workspace, those who still are to be reminded, behind its lock; and whether they see the card. */
async function stillDue(tx: Acting, found: readonly Candidate[]) {
  const cardIds = [...new Set(found.map(({ cardId }) => cardId))];
  const memberIds = [...new Set(found.map(({ memberId }) => memberId))];
  const rows = await tx.db
    .select({
      cardId: card.id,
      dueDate: card.dueDate,
      memberId: member.id,
      accountId: member.accountId,
      role: member.role,
      visibility: board.visibility,
      onBoard: boardMember.memberId,
    })
    .from(card)
    .innerJoin(board, and(eq(board.workspaceId, tx.workspaceId), eq(board.id, card.boardId)))
    .innerJoin(member, and(eq(member.workspaceId, tx.workspaceId), inArray(member.id, memberIds)))
    .leftJoin(
      boardMember,
      and(
        eq(boardMember.workspaceId, tx.workspaceId),
        eq(boardMember.boardId, card.boardId),
        eq(boardMember.memberId, member.id),
      ),
    )
    .where(
      and(
        eq(card.workspaceId, tx.workspaceId),
        inArray(card.id, cardIds),
        isNotNull(card.dueDate),
        isNull(card.completedAt),
        isNull(card.archivedAt),
      ),
    );
  const byKey = new Map(rows.map((row) => [`${row.cardId} ${row.memberId}`, row]));
  return found.flatMap(({ cardId, memberId, accountId, dueDate }) => {
    const now = byKey.get(`${cardId} ${memberId}`);
    if (now === undefined || now.accountId !== accountId || now.dueDate === null) return [];
    if (Date.parse(now.dueDate) !== Date.parse(dueDate)) return [];
    return [{ cardId, accountId, dueDate, sees: seesBoard(now.role, now.visibility, now.onBoard !== null) }];
  });
}

/** Reminds people of a workspace, and forgets reminders of dates long past. */
async function remind(tx: Acting, found: readonly Candidate[]): Promise<void> {
  const due = await stillDue(tx, found);
  for (const { cardId, accountId, dueDate, sees } of due) {
    // Who does not see the card is not looked up again each minute.
    tx.add(reminder, { cardId, accountId, dueDate });
    if (sees) notify(tx, { actorId: null, cardId }, [{ type: "card.due", accountId }]);
  }
  const old = await tx.db
    .select({ cardId: reminder.cardId })
    .from(reminder)
    .where(and(eq(reminder.workspaceId, tx.workspaceId), lt(reminder.dueDate, sql`now() - interval '7 days'`)))
    .limit(SWEPT_AT_ONCE);
  if (old.length === 0) return;
  await tx.write(sql`
    delete from ${reminder} where ${reminder.workspaceId} = ${tx.workspaceId}::bigint
      and ${reminder.dueDate} < now() - interval '7 days'`);
}

/** Sweep: reminds people of cards that are due. The settings say whether they also get mail. */
export const remindersOf =
  (config: Pick<Config, "mail">): Sweep =>
  (db) =>
    untilFewerThan(SWEPT_AT_ONCE, async (limit) => {
      const found = await candidates(db, limit);
      for (const [workspaceId, own] of byWorkspace(found)) {
        await changeAsSystem(db, workspaceId, (tx) => remind(tx, own), { config });
      }
      return found.length;
    });
