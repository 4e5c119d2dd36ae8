// @module-tag slow
// Snapshots that do not arrive as they were begun: the board is lost, or the connection is cut, while they are read or sent
// (clients section 1).

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.js";
import { type Board, type MemberPerson, ok, type Person, testApp } from "../helpers/app.js";
import { read } from "../helpers/streams.js";

const { as, make, db, listening, logs } = await testApp();
const url = await listening();

/** Together far more bytes than the system buffers for a connection. */
const [CARDS, LENGTH] = [1500, 1900];
const TITLE = "界".repeat(LENGTH);

async function largeBoard() {
  const { owner, workspace } = await make.workspace();
  const rows = Array.from({ length: CARDS }, (_, n) => [`Card ${n}`, "List"]);
  const wanted = { workspacePublicId: workspace.publicId, boardName: "Large", rows, mapping: { title: 0, list: 1 } };
  const imported = ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", wanted));
  // Nobody has read the board yet.
  await db.rows(sql`
    update card set title = repeat('界', ${LENGTH}::int)
    where workspace_id = (select id from workspace where public_id = ${workspace.publicId}::text)`);
  return { publicId: imported.boardPublicId, owner, workspace, person: await make.member(workspace, "member") };
}

type Place = Pick<Board, "publicId" | "owner" | "workspace"> & { person: MemberPerson };

const LOSSES: [string, string, (place: Place) => Promise<unknown>][] = [
  ["is deleted", "NOT_FOUND", ({ owner, publicId }) => as(owner).delete(`/boards/${publicId}`)],
  [
    "is made private",
    "FORBIDDEN",
    ({ owner, publicId }) => as(owner).put(`/boards/${publicId}`, { visibility: "private" }),
  ],
  [
    "is gone with its workspace",
    "NOT_FOUND",
    ({ owner, workspace }) => as(owner).delete(`/workspaces/${workspace.publicId}`),
  ],
];

const pathOf = ({ publicId }: { publicId: string }) => `${url}/api/v1/boards/${publicId}/stream?snapshot=true`;

/** Opens a stream, and takes no more of it than its beginning. */
async function begun(board: { publicId: string }, { token }: Person): Promise<IncomingMessage> {
  const request = get(pathOf(board), { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.setEncoding("utf8");
  await once(response, "readable");
  return response;
}

/** The messages of a stream that has ended: the type and data of each. */
async function rest(response: IncomingMessage) {
  let text = "";
  for await (const chunk of response) text += chunk;
  return text.split("\n\n").flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [{ type: /^event: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) }];
  });
}

const cardsOf = ({ lists }: { lists: { cards: object[] }[] }) =>
  lists.reduce((sum, { cards }) => sum + cards.length, 0);

describe("a board that", () => {
  test.each(LOSSES)(
    "%s while its snapshot is sent: the snapshot is whole, and then the stream ends with %s",
    {
      timeout: 120_000,
    },
    async (_how, code, lose) => {
      const place = await largeBoard();
      const response = await begun(place, place.person);
      ok((await lose(place)) as never);
      const [snapshot, ...others] = await rest(response);
      expect(snapshot?.type).toBe("snapshot");
      expect(cardsOf(snapshot?.data)).toBe(CARDS);
      expect(others).toMatchObject([{ type: "end", data: { code } }]);
    },
  );

  test.each(LOSSES)("%s while its snapshot is read is refused, or sent and ended with %s", async (_how, code, lose) => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { board, owner, workspace } = await make.board();
      const person = await make.member(workspace, "member");
      const [reading] = await Promise.all([
        read(pathOf(board), person.token),
        lose({ publicId: board.publicId, owner, workspace, person }),
      ]);
      if (reading.status === 200) {
        await reading.ended;
        const sent = reading.messages.filter(({ event }) => event !== undefined);
        expect(sent.map(({ event }) => event)).toEqual(["snapshot", "end"]);
        expect(sent.at(-1)?.data).toContain(code);
      } else expect(["FORBIDDEN", "NOT_FOUND"]).toContain((await reading.body()).code);
    }
  });
});

describe("a connection that is cut while a snapshot is sent", () => {
  test("counts no longer as a stream, and is no failure of the service", { timeout: 120_000 }, async () => {
    const place = await largeBoard();
    const before = logs.length;
    // More than one person may have open.
    for (let turn = 0; turn < 25; turn += 1) (await begun(place, place.person)).destroy();
    const reading = await read(pathOf(place), place.person.token);
    await reading.until(() => reading.messages.some(({ event }) => event === "snapshot"));
    reading.leave();
    expect(logs.slice(before).filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  test("is opened again by the client, which gets one whole snapshot and what comes after it", async () => {
    const { board, list } = await make.list();
    ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: TITLE }));
    let connections = 0;
    const cutOnce: typeof fetch = async (resource, init) => {
      const response = await fetch(resource, init);
      connections += 1;
      if (connections > 1 || response.body === null) return response;
      let left = 1000;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.slice(0, left));
          left -= chunk.length;
          if (left <= 0) controller.error(new TypeError("the connection was cut"));
        },
      });
      return new Response(response.body.pipeThrough(cut), response);
    };
    const items: { type: string }[] = [];
    const errors: unknown[] = [];
    const client = createClient({ url, token: board.owner.token, fetch: cutOnce });
    const subscription = client.board.stream.subscribe(
      { boardPublicId: board.publicId, snapshot: true },
      { onData: ({ data }) => void items.push(data), onError: (error) => void errors.push(error) },
    );
    await expect.poll(() => items.length, { timeout: 20_000 }).toBe(1);
    ok(await as(board.owner).post("/cards", { listPublicId: list.publicId, title: "After it" }));
    await expect.poll(() => items.map(({ type }) => type)).toEqual(["snapshot", "card.created"]);
    expect(connections).toBe(2);
    expect(errors).toEqual([]);
    subscription.unsubscribe();
  });
});
