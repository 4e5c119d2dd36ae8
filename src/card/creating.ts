// Makes a card on a locked list.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { Assignee } from "../access/cardGuards.js";
import type { ListAccess, Named } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { bigints, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { positionAt } from "../db/positions.js";
import { cardEvent, record } from "../events/log.js";
import { tellingOfText } from "../notification/mentions.js";
import { countingOpenCards } from "./changing.js";
import { cardsIn } from "./moving.js";
import type { NewCard } from "./shapes.js";

interface NewCardFields {
  title: string;
  description?: string | undefined;
  dueDate?: string | null | undefined;
  priority?: string | undefined;
  index?: number | undefined;
  labels: readonly Named[];
  members: readonly Assignee[];
}

/** Makes a card at `index` of a list, at its end by default. */
export async function createCard(
  tx: Signed<Transaction>,
  list: ListAccess,
  { title, description = "", dueDate = null, priority = "none", index, labels, members }: NewCardFields,
): Promise<z.output<typeof NewCard>> {
  const { workspaceId } = list;
  const position = await positionAt(tx.db, cardsIn(list), index ?? "end");
  const publicId = newPublicId();
  const data = { title, listPublicId: list.listPublicId, index: Math.min(index ?? list.openCards, list.openCards) };
  const told = await tellingOfText(tx, list, { text: description });
  const [created] = await record<{ cardNumber: number }>(tx, list, {
    events: [cardEvent({ ...list, cardPublicId: publicId }, "card.created", data)],
    cardNumbers: 1,
    write: (next) => sql`
      insert into card (workspace_id, public_id, board_id, list_id, position, card_number, title, description, due_date, priority, revision)
      select ${workspaceId}::bigint, ${publicId}::text, ${list.boardId}::bigint, ${list.listId}::bigint, ${position}::bigint,
        ${next.cardNumber()}, ${title}::text, ${description}::text, ${dueDate}::timestamptz, ${priority}::text, ${next.seq()}
      from next returning id, card_number as "cardNumber"`,
    also: [
      ...countingOpenCards(workspaceId, [{ id: list.listId, delta: 1 }]),
      sql`labelled as (insert into card_label (workspace_id, card_id, label_id)
        select ${workspaceId}::bigint, changed.id, l.id from changed, unnest(${bigints(labels.map(({ id }) => id))}) as l(id))`,
      sql`assigned as (insert into card_member (workspace_id, card_id, member_id)
        select ${workspaceId}::bigint, changed.id, m.id from changed, unnest(${bigints(members.map(({ id }) => id))}) as m(id))`,
      ...told,
    ],
  });
  return { publicId, cardNumber: created?.cardNumber ?? 0 };
}
