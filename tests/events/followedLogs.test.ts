// What followers of a log are handed while it is read, and while they come and go.

import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { FollowedLogs, type Page, type Read, stepsAfter } from "../../src/events/followedLogs.js";
import { type Entry, Follower } from "../../src/events/followers.js";

interface Item {
  board: string;
}

const LOG: Entry<Item>[] = [
  { position: 1, about: ["a"], item: { board: "a" } },
  { position: 2, about: ["b"], item: { board: "b" } },
  { position: 3, about: ["b"], item: { board: "b" } },
];

test("who comes while the log is read for others gets every entry of its own, once and in order", async () => {
  let end = 1;
  const after = (position: number) => LOG.filter((entry) => entry.position > position && entry.position <= end);
  const gate = new EventEmitter();
  const opened = once(gate, "open");
  const reading = once(gate, "reading");
  const mayAttach = once(gate, "attach");
  const logs = new FollowedLogs<Item, string>({
    // Reads for the boards that are asked for alone, as the log of a workspace is read.
    read: async (_key, position, boards): Promise<Read<Item, string>> => {
      const entries = after(position).filter(({ item }) => boards.includes(item.board));
      const stepsFor = (board: string) => entries.filter(({ item }) => item.board === board);
      const found = { stepsFor, position: end, isWhole: true };
      gate.emit("reading");
      await opened;
      return found;
    },
    ends: async (keys) => new Map(keys.map((key) => [key, end])),
  });
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const follow = (reader: string, position: number) => {
    const own = (from: number): Page<Item> => ({
      steps: after(from).filter(({ item }) => item.board === reader),
      position: end,
      isWhole: true,
    });
    const readPage = async (from: number) => {
      const page = own(from);
      await (reader === "b" ? mayAttach : null);
      return page;
    };
    return stepsAfter({
      followedLogs: logs,
      key: 1,
      reader,
      position,
      readPage,
      follower: new Follower(ending.signal),
    });
  };

  const first = follow("a", 0);
  expect((await first.next()).value).toEqual(LOG[0]);
  const second = follow("b", 1);
  const got = second.next();
  end = 2;
  void first.next();
  await reading;
  gate.emit("attach");
  // Everything that is due has run: the second one follows while the log is read for the first one alone.
  await setImmediate();
  gate.emit("open");
  expect((await got).value).toEqual(LOG[1]);

  const next = second.next();
  end = 3;
  logs.wake(new Set([1]));
  expect((await next).value).toEqual(LOG[2]);
});
