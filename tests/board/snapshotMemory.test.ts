// What a process holds for streams that begin with a snapshot: the bytes of the board that it has rendered anyway, and only until
// their reader has taken them.

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";

const { as, make, listening } = await testApp({}, { limits: { heavyWaitMs: 500 } });
const url = await listening();

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
/** The bytes that are in use. */
function used(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const LENGTH = 20_000;
const MIB = 2 ** 20;

/** A board of this many cards with long descriptions, in one list. */
async function boardOf(cards: number) {
  const { owner, workspace } = await make.workspace();
  const rows = Array.from({ length: cards }, (_, n) => [`Card ${n}`, "List", "long text ".repeat(LENGTH / 10)]);
  const mapping = { title: 0, list: 1, description: 2 };
  const wanted = { workspacePublicId: workspace.publicId, boardName: "Long", rows, mapping };
  const { boardPublicId } = ok(await as(owner).post<{ boardPublicId: string }>("/imports/csv/boards", wanted));
  return { publicId: boardPublicId, owner, workspace };
}

/** Opens a stream of a board, of which nothing is read yet. */
async function opened(boardPublicId: string, { token }: Person, path = streamPath): Promise<IncomingMessage> {
  const request = get(`${url}${path(boardPublicId)}`, { agent: false, headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}
const streamPath = (boardPublicId: string) => `/api/v1/boards/${boardPublicId}/stream?snapshot=true`;
const trpcPath = (boardPublicId: string) =>
  `/trpc/board.stream?input=${encodeURIComponent(JSON.stringify({ boardPublicId, snapshot: true }))}`;

/** Reads a stream up to the end of its snapshot, and keeps nothing of it. */
async function readSnapshot(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MIB && chunk.includes("\n\n")) return;
  }
}

describe("a stream whose snapshot was read", () => {
  test.each([
    ["over REST", streamPath],
    ["over tRPC", trpcPath],
  ])("holds no bytes of the board, whatever its version was, %s", { timeout: 120_000 }, async (_protocol, path) => {
    const { publicId, owner } = await boardOf(100);
    const [list] = ok(await as(owner).get<{ lists: { publicId: string }[] }>(`/boards/${publicId}`)).lists;
    const before = used();
    for (let stream = 0; stream < 20; stream += 1) {
      ok(await as(owner).post("/cards", { listPublicId: list?.publicId, title: "Another version" }));
      await readSnapshot(await opened(publicId, owner, path));
    }
    // What sockets and the last reading still hold goes a moment later.
    await expect.poll(() => (used() - before) / MIB).toBeLessThan(15);
  });
});

test("an account whose readers take no snapshot gets no more of them for now, and others do", {
  timeout: 120_000,
}, async () => {
  const { publicId, owner, workspace } = await boardOf(500);
  const other = await make.member(workspace, "member");
  ok(await as(other).get(`/boards/${publicId}`));
  let refused = 0;
  for (let stream = 0; stream < 10 && refused === 0; stream += 1) {
    if ((await opened(publicId, owner)).statusCode === 503) refused += 1;
  }
  expect(refused).toBe(1);
  await readSnapshot(await opened(publicId, other));
});
