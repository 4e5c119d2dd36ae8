// Takes the titles and texts of what is deleted for good out of the events that tell of it (capabilities section 0, Events).

import { and, eq, type SQL, sql } from "drizzle-orm";
import { texts } from "../db/client.js";
import { card, event } from "../db/schema/index.js";
import type { UnitOfWork } from "../db/unitOfWork.js";

type Writing = Pick<UnitOfWork, "workspaceId" | "db" | "write">;

/** What is deleted, while it is still there: a board with its cards, cards, or a comment. */
export type Deleted =
  | { boardPublicId: string }
  | { cardPublicIds: readonly string[] }
  | { cardPublicId: string; commentPublicId: string };

/** One statement goes over so many events of a board, or the events of so many cards: the embedded database answers nobody meanwhile. */
const EVENTS = 1000;
const CARDS = 100;

/**
 * Redacts the events so far of what a change is about to delete: identifiers and moves stay, everything else in `data` goes. The
 * events that the change logs behind it are not redacted.
 */
export async function redactEvents(tx: Writing, deleted: Deleted): Promise<void> {
  if ("cardPublicIds" in deleted) return redactCards(tx, deleted.cardPublicIds);
  if ("boardPublicId" in deleted) return redactBoard(tx, deleted.boardPublicId);
  const { cardPublicId, commentPublicId } = deleted;
  await redact(
    tx,
    sql`${event.cardPublicId} = ${cardPublicId}::text and ${event.data} ->> 'commentPublicId' = ${commentPublicId}::text`,
  );
}

async function redactCards(tx: Writing, publicIds: readonly string[]): Promise<void> {
  for (let from = 0; from < publicIds.length; from += CARDS) {
    await redact(tx, sql`${event.cardPublicId} = any(${texts(publicIds.slice(from, from + CARDS))})`);
  }
}

/** Events of a card that lives on elsewhere stay; those from elsewhere of a card that came to the board do not. */
async function redactBoard(tx: Writing, publicId: string): Promise<void> {
  const ofBoard = and(eq(event.workspaceId, tx.workspaceId), eq(event.boardPublicId, publicId));
  const livesElsewhere = sql`exists (
    select from card c join board b on b.workspace_id = ${tx.workspaceId}::bigint and b.id = c.board_id
    where c.workspace_id = ${tx.workspaceId}::bigint and c.public_id = ${event.cardPublicId} and b.public_id <> ${publicId}::text)`;
  for (let after = 0; after < Number.MAX_SAFE_INTEGER; ) {
    const [last] = await tx.db
      .select({ seq: event.seq })
      .from(event)
      .where(and(ofBoard, sql`${event.seq} > ${after}::bigint`))
      .orderBy(event.seq)
      .offset(EVENTS - 1)
      .limit(1);
    // Events of this transaction come to the table with the statement that writes.
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
        sql`${card.boardId} = (select id from board where workspace_id = ${tx.workspaceId}::bigint and public_id = ${publicId}::text)`,
      ),
    );
  await redactCards(
    tx,
    cards.map((one) => one.publicId),
  );
}

/** What stays of an event: `cardNumber` too is an identifier, and `from` and `to` say where something went. */
const isKept = sql.raw(`(k.key like '%PublicId' or k.key in ('from', 'to', 'cardNumber'))`);

const redact = (tx: Writing, isAbout: SQL) =>
  tx.write(sql`
    update event set redacted = true, data = coalesce(
      (select jsonb_object_agg(k.key, k.value) from jsonb_each(${event.data}) k where ${isKept}), '{}'::jsonb)
    where ${event.workspaceId} = ${tx.workspaceId}::bigint and ${isAbout}
      and exists (select from jsonb_each(${event.data}) k where not ${isKept})`);
