import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Answer, type Board, expectError, type List, ok, testApp, unique } from "../helpers/app.js";
import { timeFor } from "../helpers/drawing.js";
import { eventsOf, miscounted } from "./events.js";

const { as, make, db } = await testApp();

interface Made {
  publicId: string;
  cardNumber: number;
}

async function busyBoard() {
  const { owner, workspace, board } = await make.board({ lists: ["a", "b"] });
  const shown = ok(await as(owner).get<{ lists: { publicId: string }[] }>(`/boards/${board.publicId}`));
  const [a, b] = shown.lists.map(({ publicId }): List => ({ publicId, name: "", owner, board }));
  if (a === undefined || b === undefined) throw new Error("A board without lists");
  const { label } = await make.label({ board });
  const onA: string[] = [];
  const onB: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    onA.push((await make.card({ list: a })).card.publicId);
    onB.push((await make.card({ list: b })).card.publicId);
  }
  return { owner, workspace, board, a, b, onA, onB, label };
}

/** Asserts that answers are successes or tell that the target is gone, and gives the successful ones. */
function outcomes<T>(answers: Answer<T>[], ...codes: ("FORBIDDEN" | "NOT_FOUND" | "BAD_REQUEST")[]): T[] {
  return answers.flatMap((res) => {
    if (res.status === 200) return [res.body];
    const code = codes.find((name) => name === Object(res.body).code);
    expectError(res, code ?? "FORBIDDEN");
    return [];
  });
}

const cardsOf = (board: Board) =>
  db.rows<{ publicId: string; listPublicId: string | null; isArchived: boolean; hasPlace: boolean }>(sql`
    select c.public_id as "publicId", l.public_id as "listPublicId", c.archived_at is not null as "isArchived",
      c.position is not null as "hasPlace"
    from card c join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
    left join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
    where b.public_id = ${board.publicId}::text`);

test("a list deleted while cards are made on it and moved to and from it loses no card", async () => {
  const isInTime = timeFor(5_000);
  for (let round = 0; round < 3 && isInTime(); round += 1) {
    const { owner, workspace, board, a, b, onA, onB } = await busyBoard();
    const create = () => as(owner).post<Made>("/cards", { title: unique("New"), listPublicId: a.publicId });
    const move = (id: string, { publicId }: List, index?: number) =>
      as(owner).put<Made>(`/cards/${id}`, { listPublicId: publicId, ...(index !== undefined && { index }) });

    const before = [
      create(),
      create(),
      ...onB.map((id) => move(id, a, 0)),
      ...onA.slice(0, 3).map((id) => move(id, b)),
    ];
    const deleting = as(owner).delete<Made>(`/lists/${a.publicId}`);
    const after = [
      create(),
      create(),
      as(owner).post<Made>("/cards/bulk/move", { cardPublicIds: onA.slice(3), listPublicId: b.publicId }),
      as(owner).post<Made>(`/cards/${onA[4]}/archive`),
      as(owner).post<Made>(`/cards/${onA[4]}/unarchive`),
    ];

    const answers = outcomes(await Promise.all([...before, ...after]), "FORBIDDEN", "NOT_FOUND", "BAD_REQUEST");
    ok(await deleting);

    const cards = await cardsOf(board);
    const made = answers.filter(({ cardNumber }) => cardNumber !== undefined).map(({ publicId }) => publicId);
    expect(cards.map(({ publicId }) => publicId).sort()).toEqual([...onA, ...onB, ...made].sort());
    for (const card of cards) {
      // Archived after it was moved, a card is of the other list.
      expect(card.isArchived ? [null, b.publicId] : [b.publicId]).toContain(card.listPublicId);
      expect(card.hasPlace).toBe(!card.isArchived);
    }
    expect(await miscounted(db, board)).toEqual([]);
    const open = cards.filter(({ isArchived }) => !isArchived).length;
    const [list] = ok(
      await as(owner).get<{ lists: { cards: { index: number }[] }[] }>(`/boards/${board.publicId}`),
    ).lists;
    expect(list?.cards.map(({ index }) => index)).toEqual(Array.from({ length: open }, (_, index) => index));
    await eventsOf(db, workspace);
  }
});

test("lists made, moved and deleted at once leave a board in order, and every card on it", async () => {
  const { owner, workspace, board, a, b, onA, onB } = await busyBoard();
  const create = () => as(owner).post<Made>("/lists", { name: "new", boardPublicId: board.publicId });
  const answers = await Promise.all([
    create(),
    as(owner).put<Made>(`/lists/${a.publicId}`, { index: 1 }),
    as(owner).delete<Made>(`/lists/${a.publicId}`),
    create(),
    as(owner).put<Made>(`/lists/${b.publicId}`, { index: 3, name: "b" }),
    as(owner).put<Made>(`/lists/${a.publicId}`, { index: 2, name: "a" }),
    as(owner).delete<Made>(`/lists/${b.publicId}`),
    create(),
  ]);

  outcomes(answers, "NOT_FOUND");
  const { lists } = ok(await as(owner).get<{ lists: object[] }>(`/boards/${board.publicId}`));
  expect(lists).toMatchObject([0, 1, 2].map((index) => ({ name: "new", index, cards: [] })));
  const cards = await cardsOf(board);
  expect(cards.map(({ publicId }) => publicId).sort()).toEqual([...onA, ...onB].sort());
  expect(cards.every(({ isArchived, hasPlace }) => isArchived && !hasPlace)).toBe(true);
  await eventsOf(db, workspace);
});

test("a board deleted while everybody writes and reads takes everything, and nobody gets a 500", async () => {
  const isInTime = timeFor(5_000);
  for (let round = 0; round < 3 && isInTime(); round += 1) {
    const { owner, workspace, board, a, b, onA, onB, label } = await busyBoard();
    const { tag } = await make.tag({ workspace });
    const { list: elsewhere } = await make.list({ board: (await make.board({ workspace })).board });
    const member = await make.member(workspace, "member");
    const path = `/boards/${board.publicId}`;
    const work = () => [
      as(member).post("/cards", { title: "x", listPublicId: a.publicId, labelPublicIds: [label.publicId] }),
      as(owner).put(`/cards/${onA[0]}`, { listPublicId: b.publicId, index: 0 }),
      as(member).put(`/cards/${onB[0]}`, { title: unique("Title"), completed: true }),
      as(owner).put(`/cards/${onB[1]}`, { listPublicId: elsewhere.publicId }),
      as(member).put(`/cards/${onA[1]}/labels/${label.publicId}`),
      as(owner).put(`/cards/${onA[2]}/members/${member.memberPublicId}`),
      as(owner).post(`/cards/${onA[3]}/checklists`, { name: "x" }),
      as(member).post("/lists", { name: "x", boardPublicId: board.publicId }),
      as(owner).put(`/lists/${b.publicId}`, { index: 0 }),
      as(member).put(`/labels/${label.publicId}`, { name: unique("Label") }),
      as(owner).put(path, { name: unique("Board"), isFavourite: true }),
      as(member).put(`${path}/tags/${tag.publicId}`),
      as(member).post(`${path}/duplicate`),
      as(owner).get(path),
      as(member).get(`/workspaces/${workspace.publicId}/boards`),
      as(owner).post("/cards/bulk/archive", { cardPublicIds: [onA[4], onB[4]] }),
    ];

    const early = work();
    const deleting = as(owner).delete(path);
    const answers = await Promise.all([...early, ...work()]);
    const deleted = await deleting;

    outcomes(answers, "FORBIDDEN", "NOT_FOUND", "BAD_REQUEST");
    ok(deleted);
    expectError(await as(owner).get(path), "NOT_FOUND");
    expect(await orphans()).toEqual([]);
    const events = await eventsOf(db, workspace);
    const deletedAt = events.findIndex(({ type }) => type === "board.deleted");
    expect(events.slice(deletedAt + 1).filter((event) => event.board === board.publicId)).toEqual([]);
  }
});

async function orphans() {
  const rows = await db.rows<{ of: string; rows: number }>(
    sql.join(
      ["list", "label", "card", "board_member", "board_tag", "board_favourite"].map(
        (table) => sql`
          select ${table}::text as "of", count(*)::int as rows from ${sql.identifier(table)} t
          where not exists (select from board b where b.workspace_id = t.workspace_id and b.id = t.board_id)`,
      ),
      sql` union all `,
    ),
  );
  return rows.filter(({ rows: count }) => count > 0);
}
