// Every part of a card survives whatever happens to its card. The tests are made from the table of parts: a new part needs a sample.

import { getTableName, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type NewParts, OWN_PARTS, type OwnPart, type ShownParts } from "../../src/card/model/ownParts.js";
import { workspaceOf } from "../../src/db/ids.js";
import { type Card, ok, type Person, testApp, type Workspace } from "../helpers/app.js";
import { type BoardFile, filesOf, withoutIds } from "../import/boardFiles.js";

const app = await testApp();
const { as, make, db } = app;

type Name = keyof ShownParts;

/** Two of each part, as files hold them. */
const SAMPLES: { [N in Name]: NewParts[N] } = {
  checklists: [
    {
      name: "First",
      items: [
        { title: "one", completed: true },
        { title: "two", completed: false },
      ],
    },
    { name: "Empty", items: [] },
  ],
};

/** The parts that the first version of files and events had. */
const FIRST: readonly Name[] = ["checklists"];

const parts: { readonly [N in Name]: OwnPart<unknown, unknown> } = OWN_PARTS;

/** A board with one card that has the sample of a part; the card was imported. */
async function cardWith(name: Name) {
  const { owner, workspace, board } = await make.board();
  const list = (await make.list({ board })).list;
  await make.card({ list, title: "With parts" });
  const empty = await filesOf(as(owner)).exported(board.publicId);
  const file = { ...empty, cards: empty.cards.map((card) => ({ ...card, [name]: SAMPLES[name] })) };
  const { answer, file: exported } = await filesOf(as(owner)).imported(workspace, file);
  const card = await onlyCardOf(owner, answer.boardPublicId);
  return { owner, workspace, boardPublicId: answer.boardPublicId, file, exported, card };
}

type ShownCard = Card & ShownParts & { list: { publicId: string } };
const cardOf = async (owner: Person, publicId: string) => ok(await as(owner).get<ShownCard>(`/cards/${publicId}`));

async function cardsOf(owner: Person, boardPublicId: string): Promise<ShownCard[]> {
  const board = ok(await as(owner).get<{ lists: { cards: { publicId: string }[] }[] }>(`/boards/${boardPublicId}`));
  return Promise.all(board.lists.flatMap(({ cards }) => cards).map(({ publicId }) => cardOf(owner, publicId)));
}

async function onlyCardOf(owner: Person, boardPublicId: string): Promise<ShownCard> {
  const [card, ...others] = await cardsOf(owner, boardPublicId);
  if (card === undefined || others.length > 0) throw new Error("The board has not one card");
  return card;
}

const asFiled = (name: Name, card: ShownCard) => card[name].map((part) => parts[name].toFile(part));
const partsInFile = (name: Name, { cards }: BoardFile) => cards.map((card) => card[name]);

function idsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "publicId" && typeof inner === "string" ? inner : idsIn(inner),
  );
}

async function rowsOf(name: Name, workspace: Workspace): Promise<number[]> {
  const counts = parts[name].tables.map((table) =>
    db.rows<{ count: number }>(
      sql`select count(*)::int as count from ${sql.identifier(getTableName(table))}
        where workspace_id = ${workspaceOf(workspace.publicId)}::bigint`,
    ),
  );
  return (await Promise.all(counts)).map(([row]) => row?.count ?? 0);
}

type Logged = { type: string; cardPublicId: string | null; data: { card?: ShownParts } };
async function loggedAs(owner: Person, workspace: Workspace, type: string, cardPublicId: string) {
  const { items } = ok(await as(owner).get<{ items: Logged[] }>(`/workspaces/${workspace.publicId}/events?limit=100`));
  return items.filter((event) => event.type === type && event.cardPublicId === cardPublicId);
}

describe.each(Object.keys(OWN_PARTS) as Name[])("%s", (name) => {
  test("survive an import, and an export of what was imported", async () => {
    const { owner, workspace, card, exported } = await cardWith(name);
    expect(asFiled(name, card)).toEqual(SAMPLES[name]);
    expect(partsInFile(name, exported)).toEqual([SAMPLES[name]]);
    const again = await filesOf(as(owner)).imported(workspace, exported);
    expect(withoutIds(again.file)).toEqual(withoutIds(exported));
  });

  test("are counted by their card, and are in the event of its creation", async () => {
    const { owner, workspace, card } = await cardWith(name);
    const [row] = await db.rows<object>(
      sql`select items_total as "itemsTotal", items_completed as "itemsCompleted" from card where public_id = ${card.publicId}`,
    );
    expect(row).toMatchObject(parts[name].counts(card[name]));
    const [created] = await loggedAs(owner, workspace, "card.created", card.publicId);
    expect(created?.data.card?.[name]).toEqual(card[name]);
  });

  test("are on a copy of their card, under identifiers of their own", async () => {
    const { owner, card } = await cardWith(name);
    const made = ok(await as(owner).post<{ publicId: string }>(`/cards/${card.publicId}/duplicate`));
    const copy = await cardOf(owner, made.publicId);
    expect(asFiled(name, copy)).toEqual(SAMPLES[name]);
    const ids = [...idsIn(card[name]), ...idsIn(copy[name])];
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("are on a copy of their board", async () => {
    const { owner, boardPublicId } = await cardWith(name);
    const made = ok(await as(owner).post<{ publicId: string }>(`/boards/${boardPublicId}/duplicate`, {}));
    expect(asFiled(name, await onlyCardOf(owner, made.publicId))).toEqual(SAMPLES[name]);
  });

  test("move with their card to another board, whose log has them", async () => {
    const { owner, workspace, card } = await cardWith(name);
    const { board } = await make.board({ workspace });
    const { list } = await make.list({ board });
    ok(await as(owner).put(`/cards/${card.publicId}`, { listPublicId: list.publicId }));
    expect((await cardOf(owner, card.publicId))[name]).toEqual(card[name]);
    const [moved] = await loggedAs(owner, workspace, "card.moved", card.publicId);
    expect(moved?.data.card?.[name]).toEqual(card[name]);
  });

  test("are in the event of a card that is unarchived", async () => {
    const { owner, workspace, card } = await cardWith(name);
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    ok(await as(owner).post(`/cards/${card.publicId}/unarchive`));
    const [unarchived] = await loggedAs(owner, workspace, "card.unarchived", card.publicId);
    expect(unarchived?.data.card?.[name]).toEqual(card[name]);
  });

  test("go with their card", async () => {
    const { owner, workspace, card } = await cardWith(name);
    expect((await rowsOf(name, workspace)).every((count) => count > 0)).toBe(true);
    ok(await as(owner).delete(`/cards/${card.publicId}`));
    expect((await rowsOf(name, workspace)).every((count) => count === 0)).toBe(true);
  });

  test("are missing in files and events from before they existed", () => {
    const { filed, shown } = parts[name];
    expect([filed, shown].map((shape) => shape.safeParse(undefined).success)).toEqual(
      FIRST.includes(name) ? [false, false] : [true, true],
    );
  });
});
