// Followers with a service that is one version older or newer than the client, as `docs/versions.md` lets it differ.

import { expect, test } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { boardState } from "../../packages/client/src/board/state.js";
import type { Snapshot } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { compared } from "../events/replay/snapshots.js";
import { ok, testApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** The body of a response with other lines: JSON is one line, also in the messages of a stream. */
function edited(response: Response, edit: (line: string) => string): Response {
  let rest = "";
  const lines = new TransformStream<string, string>({
    transform(chunk, controller) {
      const [last = "", ...whole] = `${rest}${chunk}`.split("\n").reverse();
      for (const line of whole.reverse()) controller.enqueue(`${edit(line)}\n`);
      rest = last;
    },
    flush: (controller) => controller.enqueue(edit(rest)),
  });
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { status: response.status, headers: response.headers });
}

/** A live follower of a board, whose service answers otherwise. */
async function scene(send: typeof fetch) {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const client = createClient({ url, token: owner.token, fetch: send });
  const followed = followBoard(client, board.publicId, { shared: true });
  opened.push(followed);
  followed.subscribe(() => {});
  await until(() => followed.state().status === "live");
  const rename = async (title: string) => {
    ok(await as(owner).put(`/cards/${card.publicId}`, { title }));
    await until(() => followed.state().board?.cards[card.publicId]?.title === title);
  };
  const read = async () => boardState(ok(await as(owner).get<Snapshot>(`/boards/${board.publicId}`)));
  return { board, list, card, owner, followed, until, rename, read };
}

test("an older one, without the shared stream and without marks of own changes: boards are live, and changes are confirmed", async () => {
  const { list, card, followed, until, rename, read } = await scene(async (resource, init) => {
    const { pathname } = new URL(String(resource));
    if (pathname === "/trpc/user.stream") return fetch(`${url}/trpc/user.unknown`, init);
    const response = await fetch(resource, init);
    if (pathname !== "/trpc/board.stream") return response;
    return edited(response, (line) => line.replace(/,"(?:isLast|requestKey)":(?:true|null|"[\w-]*")/g, ""));
  });
  await rename("By somebody");
  await followed.change("card.update", { cardPublicId: card.publicId, title: "By me" });
  const { publicId } = await followed.change("card.create", { listPublicId: list.publicId, title: "New" });
  await until(() => Object.values(followed.state().board?.cards ?? {}).every(({ isWaiting }) => !isWaiting));
  expect(followed.state().board?.lists[0]?.cardIds).toEqual([card.publicId, publicId]);
  expect(compared(followed.state().board ?? (await read()))).toEqual(compared(await read()));
});

test("a newer one, with fields, values and types of events that the client does not know: it goes on with the others", async () => {
  const newer = (line: string) =>
    line
      .replaceAll('"title":', '"colour":"red","title":')
      .replaceAll('"priority":"none"', '"priority":"someday"')
      .replaceAll('"label.created"', '"label.painted"');
  const { board, card, owner, followed, rename } = await scene(async (resource, init) =>
    edited(await fetch(resource, init), newer),
  );
  ok(await as(owner).post("/labels", { boardPublicId: board.publicId, name: "Urgent", colourCode: "#cf222e" }));
  await rename("Still followed");
  expect(followed.state().board?.labels).toEqual([]);
  expect(followed.state().board?.cards[card.publicId]).toMatchObject({ title: "Still followed", priority: "someday" });
  await followed.change("card.update", { cardPublicId: card.publicId, title: "By me" });
  expect(followed.state()).toMatchObject({ status: "live", waiting: 0, refused: [] });
});
