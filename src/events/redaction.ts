// Removes the titles and texts of permanently deleted objects, and the names of people who left, from their earlier events
// (capabilities section 0, Events).

import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { oneOf } from "../db/client.js";
import { board, card, event } from "../db/schema/index.js";
import { columnName } from "../db/selections.js";
import type { UnitOfWork } from "../db/unitOfWork.js";

type Writing = Pick<UnitOfWork, "workspaceId" | "db" | "write">;

interface Membership {
  memberPublicId: string;
  accountId: number;
}

/** The objects to be deleted: a board with its cards, cards, a comment, or the membership of an account. */
type Deleted =
  | Membership
  | { boardPublicId: string }
  | { cardPublicIds: readonly string[] }
  | { cardPublicId: string; commentPublicId: string };

/** The maximum number of board events, or cards, per statement: the embedded database blocks the process meanwhile. */
const EVENTS = 1000;
const CARDS = 100;

/** Redacts existing events of what is about to be deleted: identifiers and moves stay, other `data` goes. */
export async function redactEvents(tx: Writing, deleted: Deleted): Promise<void> {
  if ("cardPublicIds" in deleted) return redactCards(tx, deleted.cardPublicIds);
  if ("boardPublicId" in deleted) return redactBoard(tx, deleted.boardPublicId);
  if ("memberPublicId" in deleted) return redactMember(tx, deleted);
  const { cardPublicId, commentPublicId } = deleted;
  await redact(
    tx,
    sql`${event.cardPublicId} = ${cardPublicId}::text and ${event.data} ->> 'commentPublicId' = ${commentPublicId}::text`,
  );
}

/** Only people themselves change their names and images, so the index on actors finds the events. */
async function redactMember(tx: Writing, { memberPublicId, accountId }: Membership): Promise<void> {
  await redact(
    tx,
    sql`${event.actorId} = ${accountId}::bigint and ${event.type} = 'member.updated'
      and ${event.data} ->> 'memberPublicId' = ${memberPublicId}::text`,
  );
}

async function redactCards(tx: Writing, publicIds: readonly string[]): Promise<void> {
  for (let from = 0; from < publicIds.length; from += CARDS) {
    await redact(tx, oneOf(event.cardPublicId, publicIds.slice(from, from + CARDS)));
  }
}

/** Events of a card that now is on another board stay; events from another board of a card that moved here do not. */
async function redactBoard(tx: Writing, publicId: string): Promise<void> {
  const ofBoard = and(eq(event.workspaceId, tx.workspaceId), eq(event.boardPublicId, publicId));
  const livesElsewhere = sql`exists (
    select from ${card} join ${board} on ${board.workspaceId} = ${tx.workspaceId}::bigint and ${board.id} = ${card.boardId}
    where ${card.workspaceId} = ${tx.workspaceId}::bigint and ${card.publicId} = ${event.cardPublicId}
      and ${board.publicId} <> ${publicId}::text)`;
  for (let after = 0; after < Number.MAX_SAFE_INTEGER; ) {
    const [last] = await tx.db
      .select({ seq: event.seq })
      .from(event)
      .where(and(ofBoard, gt(event.seq, after)))
      .orderBy(event.seq)
      .offset(EVENTS - 1)
      .limit(1);
    // Buffered events of this transaction reach the table with this statement.
    const end = last?.seq ?? Number.MAX_SAFE_INTEGER;
    const isNext = sql`${event.seq} > ${after}::bigint and ${event.seq} <= ${end}::bigint`;
    await redact(tx, sql`${event.boardPublicId} = ${publicId}::text and ${isNext} and not ${livesElsewhere}`);
    after = end;
  }
  const cards = await tx.db
    .select({ publicId: card.publicId })
    .from(card)
    .where(
      and(
        eq(card.workspaceId, tx.workspaceId),
        eq(
          card.boardId,
          tx.db
            .select({ id: board.id })
            .from(board)
            .where(and(eq(board.workspaceId, tx.workspaceId), eq(board.publicId, publicId))),
        ),
      ),
    );
  const publicIds = cards.map((one) => one.publicId);
  await redactCards(tx, publicIds);
}

/** The keys that stay in an event: `cardNumber` is an identifier too, and `from` and `to` contain positions. */
const stays = sql.raw(`(k.key like '%PublicId' or k.key in ('from', 'to', 'cardNumber', 'boardPublicIds'))`);

const redact = (tx: Writing, isAbout: SQL) =>
  tx.write(sql`
    update ${event} set ${columnName(event.redacted)} = true, ${columnName(event.data)} = coalesce(
      (select jsonb_object_agg(k.key, k.value) from jsonb_each(${event.data}) k where ${stays}), '{}'::jsonb)
    where ${event.workspaceId} = ${tx.workspaceId}::bigint and ${isAbout}
      and exists (select from jsonb_each(${event.data}) k where not ${stays})`);
