// Changes a board behind the back of those who read it: a card gets another title, and nobody's kept answer holds any longer.

import postgres from "postgres";
import { newTitle, oneOf } from "./operations.js";
import type { World } from "./world.js";

/** Changes one board of a database. */
export interface Changer {
  change(): Promise<unknown>;
  end(): Promise<void>;
}

/** A changer of one card of the large board; one that changes nothing where the database is embedded. */
export function changerOf(databaseUrl: string | null, { board, cards }: World): Changer {
  if (databaseUrl === null) return { change: async () => {}, end: async () => {} };
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const change = () => {
    const card = oneOf(cards.flat());
    const title = newTitle();
    return db`with next as (
        update workspace_counter k set event_seq = event_seq + 1 from board b
        where b.public_id = ${board} and k.workspace_id = b.workspace_id returning k.workspace_id, k.event_seq
      ), renamed as (
        update card c set title = ${title}, revision = next.event_seq from next
        where c.workspace_id = next.workspace_id and c.public_id = ${card}
      ) insert into event (workspace_id, seq, type, created_at, board_public_id, card_public_id, data, operation_public_id, origin)
      select workspace_id, event_seq, 'card.updated', now(), ${board}, ${card}, '{}', ${card}, 'user' from next`.execute();
  };
  return { change, end: () => db.end() };
}
