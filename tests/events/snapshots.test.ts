// Where a snapshot stands in the log (clients section 1): what was read holds every event up to its number and none after it.

import { describe, expect, test } from "vitest";
import { type Board, ok, type Person, testApp } from "../helpers/app.js";

const { as, anonymous, make, listening } = await testApp();

interface Read {
  eventId: number;
}

const READS = ["a board", "a filtered board", "a card", "the comments of a card"] as const;

async function scene() {
  const { board, card, list, owner } = await make.card();
  const paths = {
    "a board": `/boards/${board.publicId}`,
    "a filtered board": `/boards/${board.publicId}?search=a`,
    "a card": `/cards/${card.publicId}`,
    "the comments of a card": `/cards/${card.publicId}/comments`,
  } satisfies Record<(typeof READS)[number], string>;
  return { board, card, list, owner, paths };
}

async function endOf({ owner, workspace }: Board): Promise<number> {
  const path = `/workspaces/${workspace.publicId}/events?limit=100`;
  return ok(await as(owner).get<{ items: { id: number }[] }>(path)).items.at(-1)?.id ?? 0;
}

const writeElsewhere = async ({ owner, workspace }: Board) =>
  ok(await as(owner).post(`/workspaces/${workspace.publicId}/boards`, { name: "Elsewhere" }));

const conditional = (person: Person, path: string, etag: string) =>
  as(person).send({ method: "GET", url: `/api/v1${path}`, headers: { "if-none-match": etag } });

describe.each(READS)("%s", (kind) => {
  test("names the last event of its workspace, in the body and in the header", async () => {
    const { board, owner, paths } = await scene();
    for (let count = 0; count < 2; count += 1) {
      const read = await as(owner).get<Read>(paths[kind]);
      expect(read.body.eventId).toBe(await endOf(board));
      expect(read.headers["event-id"]).toBe(String(read.body.eventId));
      await writeElsewhere(board);
    }
  });
});

describe.each(["a board", "a filtered board", "a card"] as const)("%s", (kind) => {
  test("keeps its entity tag while the log grows elsewhere, and a 304 says how far", async () => {
    const { board, owner, paths } = await scene();
    const first = await as(owner).get<Read>(paths[kind]);
    await writeElsewhere(board);
    const again = await conditional(owner, paths[kind], String(first.headers.etag));
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(again.headers["event-id"]).toBe(String(await endOf(board)));
    const whole = await as(owner).get<Read>(paths[kind]);
    expect(whole.headers.etag).toBe(first.headers.etag);
    expect(whole.body).toEqual({ ...first.body, eventId: await endOf(board) });
  });
});

test("what differs by caller and the number come last in a board's answer", async () => {
  const { owner, paths } = await scene();
  const { body } = await as(owner).get<object>(paths["a board"]);
  const names = Object.keys(body);
  expect(names.indexOf("lists")).toBeLessThan(names.indexOf("members"));
  expect(names.at(-1)).toBe("eventId");
});

test("as gzip the number is that of the moment, whoever read the board before", async () => {
  const { board, list, owner, paths } = await scene();
  const description = "x".repeat(9000);
  ok(await as(owner).post("/cards", { listPublicId: list.publicId, title: "Large", description }));
  const admin = await make.member(board.workspace, "admin");
  const url = await listening();
  for (const person of [owner, admin]) {
    await writeElsewhere(board);
    const headers = { authorization: `Bearer ${person.token}`, "accept-encoding": "gzip" };
    const zipped = await fetch(`${url}/api/v1${paths["a board"]}`, { headers });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(await zipped.text()).toBe((await as(person).get(paths["a board"])).text);
  }
});

test("neither a public board nor the card of an event has a number", async () => {
  const { board, card, owner, paths } = await scene();
  ok(await as(owner).put(paths["a board"], { visibility: "public" }));
  const read = await anonymous.get<object>(`/public${paths["a board"]}`);
  expect(Object.keys(ok(read))).not.toContain("eventId");
  expect(read.headers["event-id"]).toBeUndefined();
  const path = `/workspaces/${board.workspace.publicId}/events?limit=100&cardPublicId=${card.publicId}`;
  const { items } = ok(await as(owner).get<{ items: { data: { card: object } }[] }>(path));
  expect(Object.keys(items[0]?.data.card ?? {})).not.toContain("eventId");
});
