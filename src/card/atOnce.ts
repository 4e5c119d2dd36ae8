// The commonest changes of cards as one statement each, which authorises, locks, writes and logs: a card is made, renamed, moved on
// its board. Null where that does not apply or was refused: the change then goes the whole way (`change`), which does the rest and
// says why not.

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { around, placesLocked } from "../access/cardGuards.js";
import { boardJoins, callerMay, proveBy } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { keeping, unlessKept } from "../api/idempotency.js";
import type { Database } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { placeBetween } from "../db/positions.js";
import { type AtOnce, recordAtOnce, written } from "../events/log.js";
import { mentionsNobody } from "../notification/mentions.js";
import type { CardUpdate } from "./edits.js";
import type { NewCard, UpdatedCard } from "./shapes.js";

/** Makes the change; not with If-Match, which asks for the card before and after it. */
async function atOnce<Row>(ctx: Signed<Database>, change: AtOnce): Promise<Row | null> {
  const { idempotency, ifMatch } = ctx.terms;
  if (ifMatch !== null) return null;
  const run = async (also: readonly SQL[]) => {
    const row = await recordAtOnce<Row>(ctx, { ...change, also: [...(change.also ?? []), ...also] });
    proveBy(ctx, row !== null);
    return row;
  };
  if (idempotency === null) return run([]);
  const kept = keeping(idempotency, written.answer, written.workspaceId, written.from);
  return unlessKept(ctx.db, idempotency, () => run([sql`kept as (${kept})`]));
}

interface NewCardInput {
  listPublicId: string;
  title: string;
  description?: string | undefined;
  dueDate?: string | null | undefined;
  priority?: string | undefined;
  index?: number | undefined;
  labelPublicIds: readonly string[];
  memberPublicIds: readonly string[];
}

/** Makes a card without labels and assignees that mentions nobody. */
export async function createAtOnce(
  ctx: Signed<Database>,
  { listPublicId, title, description = "", dueDate = null, priority = "none", index, ...rest }: NewCardInput,
): Promise<z.output<typeof NewCard> | null> {
  if (rest.labelPublicIds.length > 0 || rest.memberPublicIds.length > 0 || !mentionsNobody(description)) return null;
  const publicId = newPublicId();
  return atOnce(ctx, {
    about: listPublicId,
    allowed: sql`locked as materialized (
      select l.workspace_id, l.board_id, l.id as list_id, l.public_id as list_public_id, l.open_cards, b.public_id as board_public_id
      from list l
      join board b on b.workspace_id = l.workspace_id and b.id = l.board_id ${boardJoins(ctx)}
      where l.public_id = ${listPublicId}::text and ${callerMay(ctx, "card:create")}
      for share of b for no key update of l
    ), ${placed(sql`locked`, sql`null, null, list_id, open_cards, ${index ?? null}::int`)}, allowed as materialized (
      select *, ${publicId}::text as card_public_id from placed where place is not null
    )`,
    type: "card.created",
    data: sql`jsonb_build_object('title', ${title}::text, 'listPublicId', list_public_id, 'index', destination)`,
    cardNumbers: 1,
    write: (next) => sql`
      insert into card (workspace_id, public_id, board_id, list_id, position, card_number, title, description, due_date, priority, revision)
      select a.workspace_id, a.card_public_id, a.board_id, a.list_id, a.place, ${next.cardNumber()}, ${title}::text,
        ${description}::text, ${dueDate}::timestamptz, ${priority}::text, ${next.seq()}
      from allowed a, next
      returning public_id as "publicId", card_number as "cardNumber"`,
    also: [
      sql`counted as (
        update list set open_cards = list.open_cards + 1 from allowed a, next
        where list.workspace_id = a.workspace_id and list.id = a.list_id)`,
    ],
  });
}

type Updated = z.output<typeof UpdatedCard>;

/** The instant is text already, so that an answer which is kept is the one that was given. */
const UPDATED = sql.raw(`card.public_id as "publicId", card.title, card.description, card.priority,
  to_char(card.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "dueDate"`);

/** Renames a card, or moves it on its board; both together, and every other edit, go the whole way. */
export async function updateAtOnce(ctx: Signed<Database>, update: CardUpdate): Promise<Updated | null> {
  const { cardPublicId, title, listPublicId, index, ...others } = update;
  if (Object.values(others).some((field) => field !== undefined)) return null;
  const isMove = listPublicId !== undefined || index !== undefined;
  if (isMove) return title === undefined ? moveAtOnce(ctx, cardPublicId, listPublicId ?? null, index ?? null) : null;
  return title === undefined ? null : renameAtOnce(ctx, cardPublicId, title);
}

function renameAtOnce(ctx: Signed<Database>, cardPublicId: string, title: string): Promise<Updated | null> {
  return atOnce(ctx, {
    about: cardPublicId,
    allowed: sql`allowed as materialized (
      select c.workspace_id, c.id, c.public_id as card_public_id, c.title, b.public_id as board_public_id
      from card c
      join board b on b.workspace_id = c.workspace_id and b.id = c.board_id ${boardJoins(ctx)}
      where c.public_id = ${cardPublicId}::text and c.title <> ${title}::text and ${callerMay(ctx, "card:edit")}
      for share of b for no key update of c
    )`,
    type: "card.updated",
    data: sql`jsonb_build_object('changes', jsonb_build_object('title', jsonb_build_object('from', title, 'to', ${title}::text)))`,
    write: (next) => sql`
      update card set title = ${title}::text, revision = ${next.seq()}, updated_at = now()
      from allowed a, next
      where card.workspace_id = a.workspace_id and card.id = a.id
      returning ${UPDATED}`,
  });
}

/** Null stands for the card's own list, and for the end of a list. */
function moveAtOnce(
  ctx: Signed<Database>,
  cardPublicId: string,
  listPublicId: string | null,
  index: number | null,
): Promise<Updated | null> {
  return atOnce(ctx, {
    about: cardPublicId,
    allowed: sql`${placesLocked([cardPublicId], listPublicId)}, found as materialized (
      select c.workspace_id, c.id, c.position, c.public_id as card_public_id, b.public_id as board_public_id,
        o.id as from_id, o.public_id as from_public_id, t.id as to_id, t.public_id as to_public_id, t.open_cards
      from cards c
      join boards b on b.workspace_id = c.workspace_id and b.id = c.board_id ${around(ctx)}
      join lists o on o.workspace_id = c.workspace_id and o.id = c.list_id
      join lists t on t.workspace_id = c.workspace_id and t.board_id = c.board_id
        and t.public_id = coalesce(${listPublicId}::text, o.public_id)
      where c.position is not null and ${callerMay(ctx, "card:edit")}
    ), ${placed(sql`found`, sql`from_id, position, to_id, open_cards, ${index}::int`)}, allowed as materialized (
      select * from placed where place is not null and (from_id <> to_id or origin <> destination)
    )`,
    type: "card.moved",
    data: sql`jsonb_build_object(
      'from', jsonb_build_object('listPublicId', from_public_id, 'index', origin),
      'to', jsonb_build_object('listPublicId', to_public_id, 'index', destination))`,
    write: (next) => sql`
      update card set list_id = a.to_id, position = a.place, revision = ${next.seq()}, updated_at = now()
      from allowed a, next
      where card.workspace_id = a.workspace_id and card.id = a.id
      returning ${UPDATED}`,
    also: [
      sql`counted as (
        update list set open_cards = list.open_cards + case when list.id = a.to_id then 1 else -1 end from allowed a, next
        where a.from_id <> a.to_id and list.workspace_id = a.workspace_id and list.id = any(array[a.from_id, a.to_id]))`,
    ],
  });
}

/** The CTE `placed`: rows of another with their way to a place of a list (`card_way`), and the position there, null where there is none. */
const placed = (rows: SQL, way: SQL) => sql`placed as materialized (
      select r.*, way.origin, way.destination, ${placeBetween(sql`way.before`, sql`way.after`)} as place
      from ${rows} r cross join lateral card_way(workspace_id, ${way}) way
    )`;
