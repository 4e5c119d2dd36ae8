// What tests of cards look at beside the answer: the lists as they are shown and stored, the events, and whether a workspace's
// rows agree with each other.

import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Board, type List, ok, type Person, type TestApp, type Workspace } from "../helpers/app.js";

export const UNKNOWN = "AAAAAAAAAAAA";

interface Named {
  publicId: string;
  name: string;
}

export interface ShownCard {
  publicId: string;
  title: string;
  description: string;
  cardNumber: number;
  index: number | null;
  dueDate: string | null;
  dueHasTime: boolean;
  completedAt: string | null;
  priority: string;
  labels: (Named & { colourCode: string })[];
  members: Named[];
  checklistItems: { total: number; completed: number };
}

export interface WholeCard extends ShownCard {
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  list: Named | null;
  board: Named;
  workspace: { publicId: string; cardPrefix: string };
  checklists: (Named & { items: { publicId: string; title: string; completed: boolean }[] })[];
}

interface ShownBoard {
  labels: (Named & { colourCode: string })[];
  lists: (Named & { cards: ShownCard[] })[];
}

export interface StoredEvent {
  seq: number;
  type: string;
  board: string | null;
  card: string | null;
  data: Record<string, unknown>;
  actor: string;
}

interface Identified {
  publicId: string;
}

export function storedOn({ as, db, make }: TestApp) {
  /** A card as it is read, without where it stands in the log: as events hold it. */
  const cardOf = async (person: Person, { publicId }: Identified) => {
    const { eventId: _, ...card } = ok(await as(person).get<WholeCard & { eventId: number }>(`/cards/${publicId}`));
    return card;
  };

  const boardOf = async (board: Board) => ok(await as(board.owner).get<ShownBoard>(`/boards/${board.publicId}`));

  /** The titles of a list's cards as its board shows them, after making sure that each index is its place. */
  async function titlesIn(list: List): Promise<string[]> {
    const { lists } = await boardOf(list.board);
    const cards = lists.find(({ publicId }) => publicId === list.publicId)?.cards ?? [];
    expect(cards.map(({ index }) => index)).toEqual(cards.map((_, place) => place));
    return cards.map(({ title }) => title);
  }

  async function listOf(titles: readonly string[], on: { board?: Board } = {}) {
    const made = await make.list(on);
    const cards = [];
    for (const title of titles) cards.push((await make.card({ list: made.list, title })).card);
    return { ...made, cards };
  }

  const eventsOf = ({ publicId }: Workspace, after = 0) =>
    db.rows<StoredEvent>(sql`
      select e.seq, e.type, e.board_public_id as board, e.card_public_id as card, e.data, a.public_id as actor
      from event e join workspace w on w.id = e.workspace_id join account a on a.id = e.actor_id
      where w.public_id = ${publicId}::text and e.seq > ${after}::bigint order by e.seq`);

  /** The events written from here on: each call gives those since the last one, which must have no gap. */
  async function newsOf(workspace: Workspace) {
    let last = (await eventsOf(workspace)).length;
    return async () => {
      const events = await eventsOf(workspace, last);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, offset) => last + offset + 1));
      last += events.length;
      return events;
    };
  }

  /**
   * Whether a workspace's rows agree: counts of open cards and of items, places, events without a gap, and revisions that are
   * at least the last event of each card: events of what is on a card (a label that is deleted) raise them as well.
   */
  async function expectSound({ publicId }: Workspace): Promise<void> {
    const inWorkspace = sql`workspace_id = ${workspaceOf(publicId)}::bigint`;
    const wrongLists = await db.rows(sql`
      select l.name, l.open_cards, count(c.id) as cards from list l
      left join card c on c.workspace_id = l.workspace_id and c.list_id = l.id and c.position is not null
      where l.${inWorkspace} group by l.workspace_id, l.id having l.open_cards <> count(c.id)`);
    const wrongCards = await db.rows(sql`
      select c.title, c.revision, c.items_total, c.items_completed from card c
      where c.${inWorkspace} and (
        (c.archived_at is null) <> (c.position is not null)
        or (c.position is not null and not exists (
          select from list l where l.workspace_id = c.workspace_id and l.id = c.list_id and l.board_id = c.board_id))
        or c.revision < (
          select max(e.seq) from event e where e.workspace_id = c.workspace_id and e.card_public_id = c.public_id)
        or c.revision > (select k.event_seq from workspace_counter k where k.workspace_id = c.workspace_id)
        or (c.items_total, c.items_completed) <> (
          select count(i.id), count(i.id) filter (where i.completed)
          from checklist k join checklist_item i on i.workspace_id = k.workspace_id and i.checklist_id = k.id
          where k.workspace_id = c.workspace_id and k.card_id = c.id)
        or exists (select from card_label cl join label l on l.workspace_id = cl.workspace_id and l.id = cl.label_id
          where cl.workspace_id = c.workspace_id and cl.card_id = c.id and l.board_id <> c.board_id))`);
    const [log] = await db.rows<{ events: number; first: number; last: number; counter: number }>(sql`
      select count(*) as events, coalesce(min(seq), 1) as first, coalesce(max(seq), 0) as last,
        (select event_seq from workspace_counter k where k.${inWorkspace}) as counter
      from event e where e.${inWorkspace}`);
    expect({ wrongLists, wrongCards }).toEqual({ wrongLists: [], wrongCards: [] });
    expect(log).toMatchObject({ first: 1, last: log?.events, counter: log?.events });
  }

  return { cardOf, boardOf, titlesIn, listOf, eventsOf, newsOf, expectSound };
}
