// A guard that was read before its turn does not outlive what the changes before it wrote: in one transaction with a change that
// takes something away, a call ends as it does after it (docs/architecture.md).

import { afterAll, describe, expect, test } from "vitest";
import { type Answer, appOn } from "../helpers/app.js";
import { openTestDatabase } from "../helpers/databases.js";
import { racingOn } from "../helpers/racing.js";

const { db, url, close } = await openTestDatabase();
afterAll(close);
const app = await appOn(db, {});
const { as, make } = app;
const { raced } = racingOn(app);

/** A board with some of everything, and a member of the workspace who is not on it. */
async function newScene() {
  const { owner, workspace, board, list, card } = await make.card();
  const { list: other } = await make.list({ board });
  const { card: another } = await make.card({ list: other });
  const { label } = await make.label({ board });
  const { checklist } = await make.checklist({ card });
  const { item } = await make.item({ checklist });
  const caller = await make.member(workspace, "member");
  const somebody = as(await make.member(workspace, "member"));
  const people = { caller, somebody, by: as(owner), me: as(caller) };
  return { workspace, board, list, card, other, another, label, checklist, item, ...people };
}
type Scene = Awaited<ReturnType<typeof newScene>>;
type Call = (scene: Scene) => Promise<Answer>;

const LOSSES: Record<string, Call> = {
  "the membership": ({ by, workspace, caller }) =>
    by.delete(`/workspaces/${workspace.publicId}/members/${caller.memberPublicId}`),
  "the role": ({ by, workspace, caller }) =>
    by.put(`/workspaces/${workspace.publicId}/members/${caller.memberPublicId}/role`, { role: "guest" }),
  "the sight of the board": ({ by, board }) => by.put(`/boards/${board.publicId}`, { visibility: "private" }),
  "the open board": ({ by, board }) => by.post(`/boards/${board.publicId}/archive`),
  "the list": ({ by, list }) => by.delete(`/lists/${list.publicId}`),
  "the card": ({ by, card }) => by.delete(`/cards/${card.publicId}`),
  "the open card": ({ by, card }) => by.post(`/cards/${card.publicId}/archive`),
  "the card's list": ({ by, card, other }) => by.put(`/cards/${card.publicId}`, { listPublicId: other.publicId }),
  "the old title": ({ by, card }) => by.put(`/cards/${card.publicId}`, { title: "Another" }),
  "the checklist": ({ by, checklist }) => by.delete(`/checklists/${checklist.publicId}`),
  "the item": ({ by, item }) => by.delete(`/checklist-items/${item.publicId}`),
};

const CALLS: Record<string, Call> = {
  "an edit": ({ me, card }) => me.put(`/cards/${card.publicId}`, { title: "Mine", completed: true }),
  "a move": ({ me, card, other }) => me.put(`/cards/${card.publicId}`, { listPublicId: other.publicId, index: 0 }),
  "a comment": ({ me, card }) => me.post(`/cards/${card.publicId}/comments`, { comment: "Mine" }),
  "a label": ({ me, card, label }) => me.put(`/cards/${card.publicId}/labels/${label.publicId}`),
  "a new card": ({ me, list }) => me.post("/cards", { title: "Mine", listPublicId: list.publicId }),
  "a copy": ({ me, card }) => me.post(`/cards/${card.publicId}/duplicate`),
  "an archiving": ({ me, card }) => me.post(`/cards/${card.publicId}/archive`),
  "a checklist": ({ me, card }) => me.post(`/cards/${card.publicId}/checklists`, { name: "Mine" }),
  "a new item": ({ me, checklist }) => me.post(`/checklists/${checklist.publicId}/items`, { title: "Mine" }),
  "a completed item": ({ me, item }) => me.put(`/checklist-items/${item.publicId}`, { completed: true }),
};

/** Calls that succeed after the loss and change nothing: the card is archived already. */
const CHANGES_NOTHING = new Set(["the list: an archiving", "the open card: an archiving"]);

/** What the caller is told, and what the log says of it. */
async function outcome({ by, workspace, caller }: Scene, answer: Answer) {
  const { items } = (
    await by.get<{ items: { type: string; data: object; actor: { publicId: string } | null }[] }>(
      `/workspaces/${workspace.publicId}/events?after=0&limit=100`,
    )
  ).body;
  const own = items.filter(({ actor }) => actor?.publicId === caller.publicId);
  return {
    status: answer.status,
    code: answer.body.code,
    events: own.map(({ type, data }) => ({ type, keys: Object.keys(data) })),
  };
}

describe.skipIf(url === null)("in one transaction with a change that takes it away", () => {
  const pairs = Object.keys(LOSSES).flatMap((loss) => Object.keys(CALLS).map((call) => [loss, call] as const));

  test.each(pairs)("%s: %s ends as after it", async (loss, call) => {
    const [lost, called] = [LOSSES[loss], CALLS[call]];
    if (lost === undefined || called === undefined) return expect.fail();
    const [alone, together] = [await newScene(), await newScene()];
    await lost(alone);
    const after = await outcome(alone, await called(alone));
    const isDone = after.status === 200 && !CHANGES_NOTHING.has(`${loss}: ${call}`);
    expect(after.events.length > 0, "events of what was done alone").toBe(isDone);

    // Those that wait behind the first one are read before their turns. Each is of an account of its own, because accounts take turns.
    const [, first, second] = await raced(
      together.workspace,
      () => together.somebody.put(`/cards/${together.another.publicId}`, { title: "Before both" }),
      () => lost(together),
      () => called(together),
    );

    expect(first?.status).toBe(200);
    expect(await outcome(together, second ?? expect.fail())).toEqual(after);
  });
});
