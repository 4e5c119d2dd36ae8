// Edits that are made only while a text is the one with which they began.

import { afterAll, describe, expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { createClient, WorkBoardError } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";

const { as, make, listening } = await testApp();
const url = await listening();

/** A followed board with a card whose description is "First". `meet` is awaited before each request of a path is sent, and after it. */
async function scene() {
  const { owner, board, card } = await make.card({ title: "A card", description: "First" });
  const path = `/cards/${card.publicId}`;
  const hooks: { before?: (name: string) => unknown; after?: (name: string) => unknown } = {};
  const send: typeof fetch = async (resource, init) => {
    const name = new URL(String(resource)).pathname.replace("/trpc/", "");
    await hooks.before?.(name);
    const response = await fetch(resource, init);
    await hooks.after?.(name);
    return response;
  };
  const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId);
  afterAll(() => followed.close());
  followed.subscribe(() => {});
  await vi.waitFor(() => expect(followed.state().status).toBe("live"), { timeout: 5000 });
  const edit = (description: string, before: string) =>
    followed.change("card.update", { cardPublicId: card.publicId, description }, { ifStill: { description: before } });
  return {
    followed,
    hooks,
    edit,
    put: (fields: object) => as(owner).put(path, fields),
    shown: () => followed.state().board?.cards[card.publicId]?.description,
    stored: async () => ok(await as(owner).get<{ description: string; priority: string }>(path)),
    revisions: async () =>
      ok(await as(owner).get<{ items: { type: string }[] }>(`${path}/activities`)).items.filter(
        ({ type }) => type === "card.updated",
      ).length,
  };
}

test("an edit of a text that somebody else changed meanwhile overwrites nothing, and stands among the refused ones", async () => {
  const { followed, edit, put, shown, stored } = await scene();
  ok(await put({ description: "Theirs" }));
  const refusal = await edit("Mine", "First").catch((error: unknown) => error);
  // As every failed call throws, so that a page reads its code in the same way.
  expect(refusal).toBeInstanceOf(WorkBoardError);
  expect(refusal).toMatchObject({ code: "PRECONDITION_FAILED" });
  expect(followed.state().refused).toMatchObject([{ code: "PRECONDITION_FAILED", input: { description: "Mine" } }]);
  await vi.waitFor(() => expect(shown()).toBe("Theirs"));
  expect((await stored()).description).toBe("Theirs");
});

test("an edit is sent again if something else of the card changed between reading and sending", async () => {
  const { hooks, edit, put, stored, revisions } = await scene();
  let isFirst = true;
  hooks.after = async (name) => {
    if (name !== "card.get" || !isFirst) return;
    isFirst = false;
    ok(await put({ priority: "high" }));
  };
  await edit("Mine", "First");
  expect(await stored()).toMatchObject({ description: "Mine", priority: "high" });
  expect(await revisions()).toBe(2);
});

test("an edit whose answer was lost is made once, and is no conflict with itself", async () => {
  const { hooks, edit, stored, revisions } = await scene();
  let isFirst = true;
  hooks.after = (name) => {
    if (name !== "card.update" || !isFirst) return;
    isFirst = false;
    throw new TypeError("the answer is lost");
  };
  await edit("Mine", "First");
  expect((await stored()).description).toBe("Mine");
  expect(await revisions()).toBe(1);
});

test("an edit that was made is reported as made, though its answer was lost and somebody else changed the text behind it", async () => {
  const { followed, hooks, edit, put, stored, revisions } = await scene();
  let isFirst = true;
  hooks.after = async (name) => {
    if (name !== "card.update" || !isFirst) return;
    isFirst = false;
    ok(await put({ description: "Theirs" }));
    throw new TypeError("the answer is lost");
  };
  await edit("Mine", "First");
  expect(followed.state().refused).toEqual([]);
  expect((await stored()).description).toBe("Theirs");
  expect(await revisions()).toBe(2);
});

test("an edit that did not arrive overwrites nothing when it is sent again", async () => {
  const { hooks, edit, put, stored } = await scene();
  let isFirst = true;
  hooks.before = async (name) => {
    if (name !== "card.update" || !isFirst) return;
    isFirst = false;
    ok(await put({ description: "Theirs" }));
    throw new TypeError("there is no network");
  };
  await expect(edit("Mine", "First")).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
  expect((await stored()).description).toBe("Theirs");
});

describe("edits that wait become one", () => {
  /** Two edits, one behind the other, of which none is sent until `go` is called. It returns what came of them. */
  async function waiting() {
    const { followed, hooks, edit, ...rest } = await scene();
    let isCut = true;
    hooks.before = (name) => {
      if (isCut && name !== "board.stream") throw new TypeError("there is no network");
    };
    const cardPublicId = Object.keys(followed.state().board?.cards ?? {})[0] ?? "";
    const other = followed.change("card.update", { cardPublicId, title: "Other" });
    const outcomes = Promise.allSettled([edit("Mine", "First"), edit("Mine, too", "Mine")]);
    expect(followed.state().waiting).toBe(2);
    const go = async () => {
      isCut = false;
      await other;
      return outcomes;
    };
    return { ...rest, go };
  }

  test("which is not made if somebody changed the text with which the first began", async () => {
    const { put, stored, go } = await waiting();
    ok(await put({ description: "Theirs" }));
    for (const outcome of await go()) expect(outcome).toMatchObject({ reason: { code: "PRECONDITION_FAILED" } });
    expect((await stored()).description).toBe("Theirs");
  });

  test("which is made if the text is still that one", async () => {
    const { stored, go } = await waiting();
    for (const outcome of await go()) expect(outcome).toMatchObject({ status: "fulfilled" });
    expect((await stored()).description).toBe("Mine, too");
  });
});

test("an edit of a board that is closed while its card is read is not sent", async () => {
  const { followed, hooks, edit, stored } = await scene();
  const sent: string[] = [];
  hooks.before = (name) => sent.push(name);
  hooks.after = (name) => name === "card.get" && followed.close();
  void edit("Mine", "First");
  await vi.waitFor(() => expect(sent).toContain("card.get"));
  for (const _ of ["while it is read", "behind its answer"]) expect((await stored()).description).toBe("First");
  expect(sent).not.toContain("card.update");
});

test("an edit to the text that somebody else has written meanwhile is no conflict", async () => {
  const { followed, edit, put, stored } = await scene();
  ok(await put({ description: "The same" }));
  await edit("The same", "First");
  expect(followed.state().refused).toEqual([]);
  expect((await stored()).description).toBe("The same");
});
