// Reminders of due dates: each person is notified once of each due date of a card, as long before it as their settings say
// (capabilities section 0, Notifications).

import { and, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import { type Acting, changeAsSystem } from "../api/change.js";
import type { Config } from "../config.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Database } from "../db/client.js";
import { byWorkspace } from "../db/records.js";
import { board, boardMember, card, member, reminder } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep, untilFewerThan } from "../db/sweeps.js";
import { notify } from "../events/notices.js";

/** A due date that passed is still told of for so long: the service may have been down. */
const LATE = sql.raw("interval '1 hour'");

/** A person to be reminded of a card. */
interface Candidate {
  workspaceId: number;
  cardId: number;
  memberId: number;
  accountId: number;
  dueDate: string;
}

/**
 * People whose reminder of a card is due: its assignees, or whoever created it where nobody is assigned. Each workspace is visited for
 * its own, in the order of its due dates.
 */
const candidates = (db: Database, limit: number): Promise<Candidate[]> =>
  db.rows<Candidate>(
    acrossWorkspaces(
      "cards that are due",
      sql`select w.id as "workspaceId", d.* from workspace w cross join lateral (
          select c.id as "cardId", m.id as "memberId", m.account_id as "accountId", c.due_date as "dueDate"
          from card c
          join board b on b.workspace_id = w.id and b.id = c.board_id and b.archived_at is null
          join member m on m.workspace_id = w.id and m.account_id is not null and case
            when exists (select from card_member x where x.workspace_id = w.id and x.card_id = c.id)
            then exists (select from card_member x where x.workspace_id = w.id and x.card_id = c.id and x.member_id = m.id)
            else m.account_id = c.created_by end
          left join notification_settings s on s.account_id = m.account_id
          where c.workspace_id = w.id and c.archived_at is null and c.completed_at is null
            and c.due_date > now() - ${LATE}
            and c.due_date <= now() + interval '1 minute' * (select greatest(1440, max(due_minutes)) from notification_settings)
            and c.due_date - interval '1 minute' * case when s.account_id is null then 1440 else s.due_minutes end <= now()
            and not exists (
              select from reminder r where r.workspace_id = w.id and r.card_id = c.id and r.account_id = m.account_id
                and r.due_date = c.due_date)) d
        limit ${limit}::int`,
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
