// Storages of unanswered changes that are slow, full or out of order.

import { expect, test } from "vitest";
import type { BoardStorage } from "../../packages/client/src/board/index.js";
import { Queue } from "../../packages/client/src/board/queue.js";
import { StoredQueue } from "../../packages/client/src/board/storedQueue.js";
import { testApp } from "../helpers/app.js";
import { until } from "../helpers/followed.js";
import { Stored, settingWithin, storedTabs } from "./storedTabs.js";

const testing = await testApp();
const { tab, scene } = storedTabs(testing, await testing.listening());

test("a storage that is full by now keeps no change for another tab that was made since", async () => {
  const { board, card, owner, storage } = await scene();
  let isFull = false;
  const filling = settingWithin(storage, async (set) => {
    if (isFull) throw new Error("The quota is used up");
    await set();
  });
  const first = await tab(board.publicId, owner, filling, "cut");
  const cardPublicId = card.publicId;
  void first.board.change("card.update", { cardPublicId, title: "Sent" });
  const made = first.board.change("card.comments.create", { cardPublicId, comment: "Made" });
  void first.board.change("card.update", { cardPublicId, priority: "high" });
  await until(() => storage.waiting === 3 && first.sent.length > 0);
  isFull = true;
  first.network = "open";
  await made.then(() => {
    first.network = "cut";
  });
  first.board.close();
  storage.edit((entry) => ({ ...entry, aliveAt: 0 }));

  const second = await tab(board.publicId, owner, storage);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(second.sent).toEqual([]);
});

test.each(["missing", "full", "failing", "hanging"])("changes are made with a storage that is %s", async (kind) => {
  const { board, card, owner, stored } = await scene();
  const fail = async () => {
    if (kind === "failing") throw new Error("The storage is disabled");
    if (kind === "hanging") await new Promise(() => {});
  };
  const set = kind === "full" ? () => Promise.reject(new Error("The quota is used up")) : fail;
  const { board: replica } = await tab(board.publicId, owner, { get: fail, set, delete: fail, update: set });

  await replica.change("card.update", { cardPublicId: card.publicId, title: "Made" });
  await replica.change("card.update", { cardPublicId: card.publicId, priority: "high" });

  expect(await stored()).toEqual(["Made"]);
  expect(replica.state()).toMatchObject({ waiting: 0, refused: [] });
});

test("a storage that updates nothing in one transaction stores nothing, and changes are made", async () => {
  const { board, card, owner, stored, storage } = await scene();
  const { board: replica } = await tab(board.publicId, owner, {
    get: (key) => storage.get(key),
    set: (key, value) => storage.set(key, value),
    delete: (key) => storage.delete(key),
  });
  await replica.change("card.update", { cardPublicId: card.publicId, title: "Made" });
  const unknown = replica.change("card.update", { cardPublicId: card.publicId, listPublicId: "unknown00000" });
  await expect(unknown).rejects.toMatchObject({ code: "NOT_FOUND" });
  replica.close();
  expect(await stored()).toEqual(["Made"]);
  expect(storage.values.size).toBe(0);
});

/** A storage that takes a while to set a value, and then says so in a log. */
const slow = (storage: Stored, log: string[]) =>
  settingWithin(storage, async (set) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await set();
    log.push("stored");
  });

test("a change is sent before the storage has it; one that waits is stored as it is sent, and sent then", async () => {
  const { board, list, owner, stored, storage } = await scene();
  const log: string[] = [];
  const { board: replica } = await tab(board.publicId, owner, slow(storage, log), "open", log);
  const create = (title: string) => replica.change("card.create", { listPublicId: list.publicId, title });
  await Promise.all([create("First"), create("Second")]);
  const sent = log.map((entry) => entry !== "stored");
  expect(sent[0]).toBe(true);
  expect(sent[sent.lastIndexOf(true) - 1]).toBe(false);
  expect(await stored()).toEqual(expect.arrayContaining(["First", "Second"]));
  await until(() => storage.waiting === 0);
});

test("of two tabs that claim the queue of one that is gone at the same moment, one takes it over, though the storage is late", async () => {
  const storage = new Stored();
  const late = settingWithin(storage, async (set) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await set();
  });
  const about = ["service", "account", "board"];
  const refusal = { key: "k", path: "board.update" as const, input: {}, code: null, message: "", issues: [] };
  const gone = new Queue();
  gone.refused = [refusal];
  const left = new StoredQueue(storage, about, gone, () => {});
  await left.save();
  storage.edit((entry) => ({ ...entry, aliveAt: 0 }));
  const queues = [new Queue(), new Queue()];
  const tabs = queues.map((queue) => new StoredQueue(late, about, queue, () => {}));
  for (const one of tabs) one.start();
  await until(() => queues.some(({ refused }) => refused.length > 0));
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const one of tabs) one.stop();
  expect(queues.flatMap(({ refused }) => refused)).toEqual([refusal]);
});

test("a tab learns that another one makes its change, also if its own storage fails at that moment", async () => {
  const { board, card, owner, storage } = await scene();
  let isFull = false;
  const filling: BoardStorage = {
    get: (key) => storage.get(key),
    set: (key, value) => storage.set(key, value),
    delete: (key) => storage.delete(key),
    async update(key, to) {
      if (!isFull) return storage.update(key, to);
      to(await storage.get(key));
      throw new Error("The quota is used up");
    },
  };
  const first = await tab(board.publicId, owner, filling, "cut");
  const change = first.board.change("card.update", { cardPublicId: card.publicId, title: "Taken over" });
  await until(() => storage.waiting === 1 && first.sent.length > 0);
  storage.edit((entry) => ({ ...entry, takenOver: entry.changes.map(({ key }) => key) }));
  isFull = true;

  first.board.change("card.comments.create", { cardPublicId: card.publicId, comment: "Mine" }).catch(() => {});

  await expect(change).rejects.toThrow("Another tab");
});
