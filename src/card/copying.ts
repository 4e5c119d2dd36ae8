// Copies one card with what hangs on it, comments left out.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { CardAccess } from "../access/cardGuards.js";
import type { ListAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { bigints, json, type Transaction, texts } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { positionAt } from "../db/positions.js";
import { cardEvent, record } from "../events/log.js";
import { countingOpenCards } from "./changing.js";
import { cardsIn, carriedOver } from "./moving.js";
import type { NewCard } from "./shapes.js";

/** The labels of a card; nobody changes labels while its board is shared. */
async function labelsOf(tx: Signed<Transaction>, { workspaceId, cardId }: CardAccess): Promise<number[]> {
  const rows = await tx.db.rows<{ id: number }>(sql`
    select label_id as id from card_label where workspace_id = ${workspaceId}::bigint and card_id = ${cardId}::bigint`);
  return rows.map(({ id }) => id);
}

/** The members on a card; locked, so that they stay until they are on the copy too. */
async function membersOf(tx: Signed<Transaction>, { workspaceId, cardId }: CardAccess): Promise<number[]> {
  const rows = await tx.db.rows<{ id: number }>(sql`
    select m.id from card_member cm join member m on m.workspace_id = cm.workspace_id and m.id = cm.member_id
    where cm.workspace_id = ${workspaceId}::bigint and cm.card_id = ${cardId}::bigint
    order by m.id for key share of m`);
  return rows.map(({ id }) => id);
}

/** The labels and members that the copy gets: the card's own, exchanged where the copy goes to another board. */
async function attachedTo(tx: Signed<Transaction>, card: CardAccess, target: ListAccess) {
  const memberIds = await membersOf(tx, card);
  const { labels, members, events } = await carriedOver(tx, [card], target);
  const isElsewhere = card.boardId !== target.boardId;
  const blind = new Set(members.remove.map(({ otherId }) => otherId));
  return {
    labelIds: isElsewhere ? labels.add.map(({ otherId }) => otherId) : await labelsOf(tx, card),
    memberIds: memberIds.filter((id) => !blind.has(id)),
    events,
  };
}

interface ItemRow {
  checklistId: number;
  name: string;
  title: string | null;
  completed: boolean;
  position: number;
}

/** The checklists of a card with new identifiers, and their items. */
async function checklistCopies(tx: Signed<Transaction>, card: CardAccess) {
  const rows = await tx.db.rows<ItemRow>(sql`
    select k.id as "checklistId", k.name, i.title, i.completed, i.position
    from checklist k
    left join checklist_item i on i.workspace_id = k.workspace_id and i.checklist_id = k.id
    where k.workspace_id = ${card.workspaceId}::bigint and k.card_id = ${card.cardId}::bigint
    order by k.id, i.position`);
  const checklists = new Map(rows.map(({ checklistId, name }) => [checklistId, { publicId: newPublicId(), name }]));
  const items = rows
    .filter(({ title }) => title !== null)
    .map(({ checklistId, title, completed, position }) => ({
      publicId: newPublicId(),
      checklist: checklists.get(checklistId)?.publicId,
      title,
      completed,
      position,
    }));
  return { checklists: [...checklists.values()], items };
}

/** Copies a card to the end of a list whose lock is held. */
export async function copyCard(
  tx: Signed<Transaction>,
  card: CardAccess,
  target: ListAccess,
  title: string,
): Promise<z.output<typeof NewCard>> {
  const workspaceId = sql`${card.workspaceId}::bigint`;
  const position = await positionAt(tx.db, cardsIn(target), "end");
  const { labelIds, memberIds, events } = await attachedTo(tx, card, target);
  const { checklists, items } = await checklistCopies(tx, card);
  const publicId = newPublicId();
  const data = { title, listPublicId: target.listPublicId, copiedFrom: card.cardPublicId };
  const [created] = await record<{ cardNumber: number }>(tx, card, {
    events: [cardEvent({ ...target, cardPublicId: publicId }, "card.created", data), ...events],
    cardNumbers: 1,
    write: (next) => sql`
      insert into card (workspace_id, public_id, board_id, list_id, position, card_number, title, description, due_date,
        completed_at, priority, items_total, items_completed, revision)
      select workspace_id, ${publicId}::text, ${target.boardId}::bigint, ${target.listId}::bigint, ${position}::bigint,
        ${next.cardNumber()}, ${title}::text, description, due_date, completed_at, priority, items_total, items_completed, ${next.seq()}
      from next, card where workspace_id = ${workspaceId} and id = ${card.cardId}::bigint
      returning id, card_number as "cardNumber"`,
    also: [
      ...countingOpenCards(card.workspaceId, [{ id: target.listId, delta: 1 }]),
      sql`labelled as (insert into card_label (workspace_id, card_id, label_id)
        select ${workspaceId}, changed.id, l.id from changed, unnest(${bigints(labelIds)}) as l(id))`,
      sql`assigned as (insert into card_member (workspace_id, card_id, member_id)
        select ${workspaceId}, changed.id, m.id from changed, unnest(${bigints(memberIds)}) as m(id))`,
      sql`checklisted as (insert into checklist (workspace_id, public_id, card_id, name)
        select ${workspaceId}, k.public_id, changed.id, k.name
        from changed, unnest(${texts(checklists.map((k) => k.publicId))}, ${texts(checklists.map((k) => k.name))})
          with ordinality as k(public_id, name, ordinal)
        order by k.ordinal returning id, public_id)`,
      sql`itemised as (insert into checklist_item (workspace_id, public_id, checklist_id, title, completed, position)
        select ${workspaceId}, i."publicId", k.id, i.title, i.completed, i.position
        from checklisted k
        join jsonb_to_recordset(${json(items)}) as i("publicId" text, checklist text, title text, completed boolean, position bigint)
          on i.checklist = k.public_id)`,
    ],
  });
  return { publicId, cardNumber: created?.cardNumber ?? 0 };
}
