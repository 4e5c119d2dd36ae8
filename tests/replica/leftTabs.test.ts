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

/** A card on a board, and tabs that follow it with one storage. Their changes are lost while `network.isCut`. */
async function scene() {
  const { board, owner, card } = await make.card();
  const values = new Map<string, unknown>();
  const storage: BoardStorage = {
    get: async (key) => values.get(key),
    set: async (key, value) => values.set(key, value),
    delete: async (key) => values.delete(key),
    update: async (key, to) => values.set(key, to(values.get(key))),
  };
  const network = { isCut: true };
  const send: typeof fetch = (resource, init) =>
    network.isCut && init?.method === "POST" ? Promise.reject(new TypeError("no network")) : fetch(resource, init);
  const tab = async () => {
    const followed = followBoard(createClient({ url, token: owner.token, fetch: send }), board.publicId, { storage });
    opened.push(followed);
    followed.subscribe(() => {});
    await until(() => followed.state().status === "live");
    const rename = (title: string) => void followed.change("card.update", { cardPublicId: card.publicId, title });
    return { followed, rename };
  };
  const aliveAt = () => [...values.values()].flatMap((value) => Object(value).aliveAt ?? []);
  const stored = async () => ok(await as(owner).get<{ title: string }>(`/cards/${card.publicId}`)).title;
  return { network, tab, aliveAt, stored };
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
