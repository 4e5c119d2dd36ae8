// Changes a board behind the back of those who read it: one event more in its log, and nobody's kept answer holds any longer.

import postgres from "postgres";
import type { World } from "./world.js";

/** Changes one board of a database. */
export interface Changer {
  change(): Promise<unknown>;
  end(): Promise<void>;
}

/** A changer of the large board; one that changes nothing where the database is embedded. */
export function changerOf(databaseUrl: string | null, { board }: World): Changer {
  if (databaseUrl === null) return { change: async () => {}, end: async () => {} };
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const change = () =>
    db`with next as (
        update workspace_counter k set event_seq = event_seq + 1 from board b
        where b.public_id = ${board} and k.workspace_id = b.workspace_id returning k.workspace_id, k.event_seq
      ) insert into event (workspace_id, seq, type, created_at, board_public_id, data)
      select workspace_id, event_seq, 'board.updated', now(), ${board}, '{}' from next`.execute();
  return { change, end: () => db.end() };
}
