// Tabs of browsers that follow a board with a storage, and the storage that they share.

import { type BoardStorage, type FollowedBoard, followBoard } from "../../packages/client/src/board/index.js";
import type { SharedStorage } from "../../packages/client/src/board/storedQueue.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, type Person, type TestApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";

interface Entry {
  aliveAt: number;
  changes: { key: string; sentAt?: number }[];
  takenOver?: string[];
}

/** A storage that keeps plain JSON, as several tabs of a browser see it. */
export class Stored implements SharedStorage {
  readonly values = new Map<string, string>();

  async get(key: string): Promise<unknown> {
    return JSON.parse(this.values.get(key) ?? "null");
  }
  async set(key: string, value: unknown): Promise<void> {
    this.values.set(key, JSON.stringify(value));
  }
  async delete(key: string): Promise<void> {
    this.values.delete(key);
  }
  async update(key: string, to: (value: unknown) => unknown): Promise<void> {
    this.values.set(key, JSON.stringify(to(JSON.parse(this.values.get(key) ?? "null"))));
  }

  /** The entries of tabs, which can be edited. */
  edit(to: (entry: Entry) => Entry): void {
    for (const [key, value] of this.values) {
      const entry = JSON.parse(value);
      if (!Array.isArray(entry)) this.values.set(key, JSON.stringify(to(entry)));
    }
  }

  get waiting(): number {
    const entries = [...this.values.values()].map((value): Partial<Entry> => JSON.parse(value));
    return entries.reduce((sum, { changes = [] }) => sum + changes.length, 0);
  }
}

/** A storage whose values are set within a function. */
export const settingWithin = (
  storage: SharedStorage,
  around: (set: () => Promise<unknown>) => Promise<unknown>,
): SharedStorage => ({
  get: (key) => storage.get(key),
  delete: (key) => storage.delete(key),
  set: (key, value) => around(() => storage.set(key, value)),
  update: (key, to) => around(() => storage.update(key, to)),
});

/** The network of a tab, for mutations. */
export type Network = "open" | "cut" | "answer lost";

export interface Tab {
  board: FollowedBoard;
  sent: string[];
  network: Network;
}

export const titlesOf = ({ board }: Tab) => Object.values(board.state().board?.cards ?? {}).map(({ title }) => title);

/** Opens tabs at the address of an application, until the tests of a file have run. */
export function storedTabs({ as, make }: TestApp, url: string) {
  const opened = openedBoards();

  /** Opens a board in a tab. The addresses of its changes are added to `sent`. */
  async function tab(
    boardPublicId: string,
    person: Person,
    storage: BoardStorage,
    network: Network = "open",
    sent: string[] = [],
  ): Promise<Tab> {
    const send: typeof fetch = async (resource, init) => {
      if (init?.method !== "POST") return fetch(resource, init);
      sent.push(String(resource));
      if (made.network !== "cut") {
        const answer = await fetch(resource, init);
        if (made.network === "open") return answer;
        await answer.text();
      }
      throw new TypeError("the connection was lost");
    };
    const client = createClient({ url, token: person.token, fetch: send });
    const made: Tab = { board: followBoard(client, boardPublicId, { storage }), sent, network };
    opened.push(made.board);
    made.board.subscribe(() => {});
    await until(() => made.board.state().status === "live");
    return made;
  }

  /** A board with a list and a card, and an empty storage. */
  async function scene() {
    const { board, list, owner } = await make.list();
    const { card } = await make.card({ list });
    const stored = async () => {
      const { lists } = ok(
        await as(owner).get<{ lists: { cards: { title: string }[] }[] }>(`/boards/${board.publicId}`),
      );
      return lists.flatMap(({ cards }) => cards.map(({ title }) => title));
    };
    return { board, list, card, owner, stored, storage: new Stored() };
  }

  return { tab, scene, opened };
}
