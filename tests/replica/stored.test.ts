// Changes that the service has not answered, and refused ones, survive their tab in a storage that all tabs share.

import { expect, test } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, type Person, testApp } from "../helpers/app.js";
import { until } from "../helpers/followed.js";
import { type Stored, settingWithin, storedTabs, titlesOf } from "./storedTabs.js";

/** At a heartbeat, the service ends the streams of tokens that have ended. */
const HEARTBEAT_MS = 500;
const testing = await testApp({}, { heartbeatMs: HEARTBEAT_MS });
const { as, anonymous, make, listening } = testing;
const url = await listening();
const { tab, scene, opened } = storedTabs(testing, url);

/** A new session of a person. */
async function sessionOf({ email, password }: Person): Promise<{ token: string; publicId: string }> {
  const body = ok(await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password }));
  const token = body.accessToken;
  const sessions = ok(await as({ token }).get<{ publicId: string; isCurrent: boolean }[]>("/users/me/sessions"));
  return { token, publicId: sessions.find(({ isCurrent }) => isCurrent)?.publicId ?? "" };
}

test.each(["cut", "answer lost"] as const)("changes arrive once after their tab was closed: %s", async (network) => {
  const { board, list, card, owner, stored, storage } = await scene();
  const first = await tab(board.publicId, owner, storage, network);
  void first.board.change("card.create", { listPublicId: list.publicId, title: "New", index: 0 });
  const key = first.board.state().board?.lists[0]?.cardIds[0] ?? "";
  void first.board.change("card.update", { cardPublicId: key, title: "Renamed" });
  void first.board.change("card.comments.create", { cardPublicId: card.publicId, comment: "Once" });
  await until(() => storage.waiting === 3 && first.sent.length > 0);
  first.board.close();

  const second = await tab(board.publicId, owner, storage);
  await until(() => second.board.state().waiting === 0 && titlesOf(second).includes("Renamed"));

  expect((await stored()).sort()).toEqual([card.title, "Renamed"].sort());
  const comments = ok(await as(owner).get<{ items: object[] }>(`/cards/${card.publicId}/comments`));
  expect(comments.items).toHaveLength(1);
  await until(() => storage.waiting === 0);
});

test("a refused change is reported after a reload, until it is dismissed", async () => {
  const { board, card, owner, storage } = await scene();
  const first = await tab(board.publicId, owner, storage);
  const wrong = first.board.change("card.update", { cardPublicId: card.publicId, listPublicId: "unknown00000" });
  await expect(wrong).rejects.toMatchObject({ code: "NOT_FOUND" });
  first.board.close();

  const second = await tab(board.publicId, owner, storage);
  await until(() => second.board.state().refused.length === 1);
  const [refused] = second.board.state().refused;
  expect(refused).toMatchObject({ path: "card.update", code: "NOT_FOUND" });
  second.board.dismiss(refused?.key ?? "");
  second.board.close();

  const third = await tab(board.publicId, owner, storage);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(third.board.state().refused).toEqual([]);
});

test("the queue of another account, or of another board, is not sent", async () => {
  const { board, card, owner, stored, storage } = await scene();
  const other = await make.member(board, "member");
  const elsewhere = await make.board({ owner });
  const first = await tab(board.publicId, owner, storage, "cut");
  void first.board.change("card.update", { cardPublicId: card.publicId, title: "Mine" });
  await until(() => storage.waiting === 1);
  first.board.close();

  const tabs = [await tab(board.publicId, other, storage), await tab(elsewhere.board.publicId, owner, storage)];
  await new Promise((resolve) => setTimeout(resolve, 500));

  expect(tabs.flatMap(({ sent }) => sent)).toEqual([]);
  expect(tabs.map((one) => one.board.state().waiting)).toEqual([0, 0]);
  expect(await stored()).toEqual([card.title]);
});

test("after UNAUTHORIZED, changes wait for their account, and end the board where another one signs in", async () => {
  const { board, card, owner, stored, storage } = await scene();
  const other = await make.member(board, "admin");
  let current = owner.token;
  const client = createClient({ url, token: () => current });
  const replica = followBoard(client, board.publicId, { storage });
  opened.push(replica);
  await until(() => replica.state().status === "live");

  current = "wb_none";
  void replica.change("card.update", { cardPublicId: card.publicId, title: "Mine" });
  await until(() => storage.waiting === 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  current = other.token;
  await until(() => replica.state().status === "ended");
  replica.close();
  expect(await stored()).toEqual([card.title]);

  const again = await tab(board.publicId, owner, storage);
  await until(() => titlesOf(again).includes("Mine") && again.board.state().waiting === 0);
  expect(await stored()).toEqual(["Mine"]);
});

test("a board that ended with its token goes on with the next token of the account, and with none of another one", async () => {
  const { board, card, owner, stored } = await scene();
  const other = await make.member(board, "admin");
  let current = await sessionOf(owner);
  const client = createClient({ url, token: () => current.token });
  const replica = followBoard(client, board.publicId);
  opened.push(replica);
  replica.subscribe(() => {});
  await until(() => replica.state().status === "live");
  const shown = replica.state().board;

  ok(await as(owner).delete(`/users/me/sessions/${current.publicId}`));
  await until(() => replica.state().status === "ended");
  expect(replica.state()).toMatchObject({ board: shown, error: { code: "UNAUTHORIZED" } });
  void replica.change("card.update", { cardPublicId: card.publicId, title: "Meanwhile" });
  expect(replica.state().board?.cards[card.publicId]?.title).toBe("Meanwhile");
  expect(await stored()).toEqual([card.title]);

  current = await sessionOf(owner);
  replica.resume();
  await until(() => replica.state().status === "live" && replica.state().waiting === 0);
  expect(await stored()).toEqual(["Meanwhile"]);

  ok(await as(owner).delete(`/users/me/sessions/${current.publicId}`));
  await until(() => replica.state().status === "ended");
  void replica.change("card.update", { cardPublicId: card.publicId, title: "Not in her name" });
  current = await sessionOf(other);
  replica.resume();
  await until(() => replica.state().status === "ended" && /another account/.test(String(replica.state().error)));
  expect(await stored()).toEqual(["Meanwhile"]);
});

test("a change that was sent without an answer 24 hours ago is not sent again, but reported; one never sent is sent", async () => {
  const { board, card, owner, stored, storage } = await scene();
  const first = await tab(board.publicId, owner, storage, "cut");
  void first.board.change("card.update", { cardPublicId: card.publicId, title: "Sent" });
  await until(() => first.sent.length > 0);
  void first.board.change("card.update", { cardPublicId: card.publicId, priority: "high" });
  await until(() => storage.waiting === 2);
  first.board.close();
  await until(() => storage.waiting === 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = Date.now() - 25 * 60 * 60 * 1000;
  storage.edit((entry) => ({
    ...entry,
    changes: entry.changes.map((one) => (one.sentAt === undefined ? one : { ...one, sentAt: before })),
  }));

  const second = await tab(board.publicId, owner, storage);
  await until(() => second.board.state().refused.length === 1 && second.board.state().waiting === 0);

  expect(second.board.state().refused).toMatchObject([{ path: "card.update", input: { title: "Sent" }, code: null }]);
  expect(await stored()).toEqual([card.title]);
  expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ priority: "high" });
});

test("a clock that was a day ahead keeps nothing from being sent, and has nothing sent that the service may have forgotten", async () => {
  const { board, card, owner, stored, storage } = await scene();
  const own = freezable(storage);
  const first = await tab(board.publicId, owner, own, "cut");
  void first.board.change("card.update", { cardPublicId: card.publicId, title: "Sent" });
  await until(() => first.sent.length > 0);
  void first.board.change("card.update", { cardPublicId: card.publicId, priority: "high" });
  await until(() => storage.waiting === 2);
  own.freeze();
  const ahead = Date.now() + 24 * 60 * 60 * 1000;
  storage.edit((entry) => ({
    ...entry,
    aliveAt: ahead,
    changes: entry.changes.map((one) => (one.sentAt === undefined ? one : { ...one, sentAt: ahead })),
  }));

  const second = await tab(board.publicId, owner, storage);
  await until(() => second.board.state().refused.length === 1 && second.board.state().waiting === 0);

  expect(second.board.state().refused).toMatchObject([{ path: "card.update", input: { title: "Sent" }, code: null }]);
  expect(await stored()).toEqual([card.title]);
  expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ priority: "high" });
});

/** The storage of a tab that may be frozen. */
function freezable(storage: Stored) {
  let frozen = Promise.resolve();
  const after =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      frozen.then(() => run(...args));
  return {
    get: after((key: string) => storage.get(key)),
    set: after((key: string, value: unknown) => storage.set(key, value)),
    delete: after((key: string) => storage.delete(key)),
    update: after((key: string, to: (value: unknown) => unknown) => storage.update(key, to)),
    freeze() {
      let thaw = () => {};
      frozen = new Promise((resolve) => {
        thaw = resolve;
      });
      return () => thaw();
    },
  };
}

test("a tab takes over the queue of one that is gone for 10 s, no sooner, and one that was frozen finds that", {
  tags: ["slow"],
  timeout: 30_000,
}, async () => {
  const { board, card, owner, stored, storage } = await scene();
  const own = freezable(storage);
  const first = await tab(board.publicId, owner, own, "cut");
  const change = first.board.change("card.update", { cardPublicId: card.publicId, title: "Taken over" });
  await until(() => storage.waiting === 1 && first.sent.length > 0);

  const second = await tab(board.publicId, owner, storage);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  expect(second.sent).toEqual([]);
  const thaw = own.freeze();
  storage.edit((entry) => ({ ...entry, aliveAt: Date.now() - 10_500 }));
  await until(() => titlesOf(second).includes("Taken over") && second.board.state().waiting === 0, 8000);
  expect(second.sent).toHaveLength(1);

  thaw();
  await expect(change).rejects.toThrow("Another tab");
  expect(first.board.state()).toMatchObject({ waiting: 0, refused: [] });
  expect(await stored()).toEqual(["Taken over"]);
});

test.each([
  ["before the claim", "made here"],
  ["after the claim", "Another tab of this browser makes the change"],
])(
  "a change that its tab makes while another one takes its queue over stays with it: %s",
  {
    timeout: 15_000,
  },
  async (moment, outcome) => {
    const { board, card, owner, stored, storage } = await scene();
    const own = freezable(storage);
    const first = await tab(board.publicId, owner, own, "cut");
    const taken = first.board
      .change("card.update", { cardPublicId: card.publicId, title: "Taken over" })
      .then(() => "made here", String);
    await until(() => storage.waiting === 1 && first.sent.length > 0);
    const thaw = own.freeze();
    storage.edit((entry) => ({ ...entry, aliveAt: 0 }));
    const made: Promise<unknown>[] = [];
    const isStored = () => [...storage.values.values()].some((value) => value.includes("Mine"));
    const comeBack = async () => {
      if (made.length > 0) return;
      made.push(first.board.change("card.comments.create", { cardPublicId: card.publicId, comment: "Mine" }));
      thaw();
      await until(isStored);
    };
    const claimed = settingWithin(storage, async (set) => {
      if (moment === "before the claim") await comeBack();
      await set();
      await comeBack();
    });

    const second = await tab(board.publicId, owner, claimed);
    await until(() => made.length > 0);
    if (moment === "after the claim") await until(() => second.sent.length > 0);
    expect(isStored()).toBe(true);
    first.network = "open";
    expect(await taken).toContain(outcome);
    await Promise.all(made);
    await until(() => second.board.state().waiting === 0 && titlesOf(second).includes("Taken over"));

    expect(await stored()).toEqual(["Taken over"]);
    const comments = ok(await as(owner).get<{ items: object[] }>(`/cards/${card.publicId}/comments`));
    expect(comments.items).toHaveLength(1);
  },
);
