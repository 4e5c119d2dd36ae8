// The queues of tabs that were left, for good or for a while.

import { expect, test, vi } from "vitest";
import { type BoardStorage, followBoard } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";
import { browserEvents } from "../helpers/browserEvents.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/**
 * A card on a board, and tabs that follow it with one storage. Their changes are lost while `network.isCut`. `end` ends the tabs that
 * are open: what they write from then on is lost.
 */
async function scene() {
  const { board, owner, card } = await make.card();
  const values = new Map<string, unknown>();
  const left = new Set<string>();
  let ends = 0;
  const storage: BoardStorage = {
    leave: (key) => void left.add(key),
    takeLeft: (key) => left.delete(key),
    get: async (key) => values.get(key),
    set: async (key, value) => values.set(key, value),
    delete: async (key) => values.delete(key),
    update: async (key, to) => values.set(key, to(values.get(key))),
  };
  const network = { isCut: true };
  const send: typeof fetch = (resource, init) =>
    network.isCut && init?.method === "POST" ? Promise.reject(new TypeError("no network")) : fetch(resource, init);
  /** The storage as a tab sees it. */
  const storageOfTab = (): BoardStorage => {
    const opened = ends;
    const isOpen = <T>(run: () => T) => (opened === ends ? run() : Promise.reject(new Error("The tab is gone")));
    return {
      ...storage,
      takeLeft: (key) => opened === ends && left.delete(key),
      set: (key, value) => isOpen(async () => storage.set(key, value)),
      delete: (key) => isOpen(async () => storage.delete(key)),
      update: (key, to) => isOpen(async () => storage.update?.(key, to)),
    };
  };
  const tab = async () => {
    const client = createClient({ url, token: owner.token, fetch: send });
    const followed = followBoard(client, board.publicId, { storage: storageOfTab() });
    opened.push(followed);
    followed.subscribe(() => {});
    await until(() => followed.state().status === "live");
    const rename = (title: string) => void followed.change("card.update", { cardPublicId: card.publicId, title });
    return { followed, rename };
  };
  const aliveAt = () => [...values.values()].flatMap((value) => Object(value).aliveAt ?? []);
  const stored = async () => ok(await as(owner).get<{ title: string }>(`/cards/${card.publicId}`)).title;
  const end = () => {
    ends += 1;
  };
  return { network, tab, aliveAt, stored, values, end };
}

test("changes of a tab that is gone are made before those of the tab that takes them over", async () => {
  const { network, tab, stored } = await scene();
  const [first, second] = [await tab(), await tab()];
  first.rename("First");
  await vi.waitFor(() => expect(first.followed.state().waiting).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  second.rename("Second");
  first.followed.close();
  await until(() => second.followed.state().waiting === 2);
  network.isCut = false;
  await until(() => second.followed.state().waiting === 0);
  expect(await stored()).toBe("Second");
});

test("a page that comes back after it was left says again that it is alive", async () => {
  const events = browserEvents();
  const { tab, aliveAt } = await scene();
  const { rename } = await tab();
  rename("Mine");
  await until(() => aliveAt().some((at) => at > 0));
  events.dispatch("pagehide");
  await until(() => aliveAt().every((at) => at === 0));
  await until(() => aliveAt().some((at) => at > 0));
});

test("the changes of a tab that was left go over at once, though the browser loses what the tab writes then", async () => {
  const events = browserEvents();
  const { tab, aliveAt, end } = await scene();
  const { rename } = await tab();
  rename("Mine");
  await until(() => aliveAt().length === 1);
  end();
  events.dispatch("pagehide");
  const { followed } = await tab();
  await until(() => followed.state().waiting === 1, 1000);
  expect(Object.values(followed.state().board?.cards ?? {}).map(({ title }) => title)).toEqual(["Mine"]);
});

test("changes of a tab that may be gone are counted until they go over, and those of one that is alive are not", async () => {
  browserEvents();
  const { tab, values, aliveAt, end } = await scene();
  const first = await tab();
  first.rename("Mine");
  await until(() => aliveAt().length === 1);
  const { followed } = await tab();
  await until(() => values.size === 2 && aliveAt().every((at) => Date.now() - at > 1000));
  expect(followed.state().waiting).toBe(0);
  end();
  for (const [key, value] of values)
    if (Object.hasOwn(Object(value), "aliveAt")) values.set(key, { ...Object(value), aliveAt: Date.now() - 6000 });
  const later = await tab();
  await until(() => later.followed.state().waiting === 1, 1000);
  expect(Object.values(later.followed.state().board?.cards ?? {}).map(({ title }) => title)).not.toContain("Mine");
  await until(() => Object.values(later.followed.state().board?.cards ?? {}).some(({ title }) => title === "Mine"));
});
