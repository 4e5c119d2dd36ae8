// What tests of boards read beside answers: the event log, and the cards as they are stored.

import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Database } from "../../src/db/client.js";

interface Named {
  publicId: string;
}

export interface LoggedEvent {
  seq: number;
  type: string;
  actor: string;
  board: string | null;
  card: string | null;
  data: Record<string, unknown>;
}

/** Reads the events of a workspace that came after a number, and asserts that the whole log has no gap. */
export async function eventsOf(db: Database, workspace: Named, after = 0): Promise<LoggedEvent[]> {
  const events = await db.rows<LoggedEvent>(sql`
    select e.seq, e.type, a.public_id as actor, e.board_public_id as board, e.card_public_id as card, e.data
    from event e join workspace w on w.id = e.workspace_id join account a on a.id = e.actor_id
    where w.public_id = ${workspace.publicId}::text order by e.seq`);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return events.slice(after);
}

export const lastEvent = async (db: Database, workspace: Named) => (await eventsOf(db, workspace)).length;

/** The lists of a board whose stored count of open cards is not the number of cards on them: always none. */
export const miscounted = (db: Database, board: Named) =>
  db.rows(sql`
    select l.name, l.open_cards as counted, count(c.id) as open
    from list l join board b on b.workspace_id = l.workspace_id and b.id = l.board_id
    left join card c on c.workspace_id = l.workspace_id and c.list_id = l.id and c.position is not null
    where b.public_id = ${board.publicId}::text
    group by l.id, l.name, l.open_cards having l.open_cards <> count(c.id)`);

/** The cards of a workspace that searches know by another text than their own, or know although they are archived: always none. */
export const missearched = (db: Database, workspace: Named) =>
  db.rows(sql`
    with own as (select id from workspace where public_id = ${workspace.publicId}::text)
    select c.title, t.title as found
    from (select * from card where workspace_id = (select id from own) and archived_at is null) c
    full join (select * from card_text where workspace_id = (select id from own)) t on t.id = c.id
    where (c.title, c.description) is distinct from (t.title, t.description)`);

interface Shown extends Named {
  name: string;
}

export interface ReadBoard extends Shown {
  slug: string;
  visibility: string;
  isArchived: boolean;
  tags: Shown[];
  labels: Shown[];
  members: (Named & { role: string; status: string })[];
  lists: (Shown & { index: number; cards: Named[] })[];
}

export interface ReadCard extends Named {
  index: number | null;
  list: Named | null;
  members: Named[];
  commentCount: number;
  eventId: number;
}

const keysOf = (people: readonly Named[]) => people.map(({ publicId }) => ({ publicId }));
const byKey = <One extends Named>(some: readonly One[]) => some.toSorted((a, b) => (a.publicId < b.publicId ? -1 : 1));

/** A board as the event of its creation holds it, the order of labels aside. */
export function loggedBoard({ publicId, name, slug, visibility, isArchived, tags, labels, members, lists }: ReadBoard) {
  const named = { publicId, name, slug, visibility, isArchived };
  const shown = lists.map(({ cards: _, ...list }) => list);
  const people = members.map(({ publicId, role, status }) => ({ publicId, role, status }));
  return { ...named, tags: byKey(tags), labels: byKey(labels), members: people, lists: shown };
}

/** What the event of a card's creation holds: the card, whose comments have events of their own, and where it stands. */
const createdData = ({ eventId: _, ...card }: ReadCard) => ({
  card: { ...card, members: keysOf(card.members), commentCount: 0 },
  ...(card.index !== null && { to: { listPublicId: card.list?.publicId, index: card.index } }),
});

/** Asserts that the log tells completely of boards that were made with their cards: `seen` reads what the events name. */
export async function expectComplete(
  events: readonly { type: string; board: string | null; card: string | null; data: Record<string, unknown> }[],
  seen: <Read>(path: string) => Promise<Read>,
): Promise<void> {
  for (const { type, board, card, data } of events) {
    if (type === "board.created" || type === "board.imported") {
      const read = await seen<ReadBoard>(`/boards/${board}`);
      const inEvent = Object(data.board);
      expect({ ...inEvent, tags: byKey(inEvent.tags), labels: byKey(inEvent.labels) }).toEqual(loggedBoard(read));
    } else if (type === "card.created") {
      expect(data).toEqual(createdData(await seen<ReadCard>(`/cards/${card}`)));
    }
  }
}
