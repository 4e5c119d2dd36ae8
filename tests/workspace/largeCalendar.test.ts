// A calendar answers every card that is due, however many, and needs little memory for it.
//
// @module-tag slow

import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { call, newStore, serve } from "../helpers/processes.js";

const MIB = 1024 * 1024;
const CARDS = 20_000;
const PAGE = 2000;

interface DueCard {
  cardNumber: number;
  dueDate: string;
}

/** The body of a calendar, whose items the document describes. */
const asDueCards = (body: unknown) => body as DueCard[];

/** A figure of a process's memory in bytes: `VmRSS` is what it has now, `VmHWM` the most it had. */
function memoryOf(pid: number, figure: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}

/** Has the most memory that a process had counted from now on. */
const countAnew = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, "5");

test("20 000 cards due in one month are all answered, in order, for less than 64 MiB more memory", {
  timeout: 180_000,
}, async () => {
  const store = await newStore();
  const filling = await serve(store.env);
  const post = async (token: string | null, path: string, body: object) =>
    (await call(filling.url, token, "POST", path, body)).body;
  const account = { name: "Ada", email: "ada@example.org", password: "correct horse battery" };
  const { accessToken: token } = await post(null, "/auth/sign-up", account);
  const { publicId: workspacePublicId } = await post(token, "/workspaces", { name: "Large" });
  const { publicId: boardPublicId } = await post(token, `/workspaces/${workspacePublicId}/boards`, { name: "Large" });
  const dueOf = (n: number) => new Date(Date.UTC(2026, 10, 1) + ((n * 7919) % CARDS) * 120_000).toISOString();
  for (let from = 0; from < CARDS; from += PAGE) {
    const rows = Array.from({ length: PAGE }, (_, n) => [
      `Card number ${from + n}, of a title as people write them`,
      dueOf(from + n),
    ]);
    const mapping = { title: 0, dueDate: 1 };
    const made: unknown = await post(token, "/imports/csv/boards", {
      workspacePublicId,
      boardPublicId,
      boardName: "Large",
      rows,
      mapping,
    });
    expect(made).toMatchObject({ boardsCreated: 0, cardsCreated: PAGE });
  }
  filling.signal("SIGTERM");
  expect(await filling.ended).toBe(0);

  const service = await serve(store.env, { until: onTestFinished });
  const path = (month: string) => `/workspaces/${workspacePublicId}/calendar?month=${month}`;
  for (let n = 0; n < 3; n += 1) await call(service.url, token, "GET", path("2026-10"));
  countAnew(service.pid);
  const before = memoryOf(service.pid, "VmRSS");
  const { status, body }: { status: number; body: unknown } = await call(service.url, token, "GET", path("2026-11"));
  const more = memoryOf(service.pid, "VmHWM") - before;

  expect(status).toBe(200);
  const due = asDueCards(body);
  expect(due).toHaveLength(CARDS);
  const sorted = due.toSorted((a, b) => a.dueDate.localeCompare(b.dueDate) || a.cardNumber - b.cardNumber);
  expect(due).toEqual(sorted);
  console.info(`A calendar of ${CARDS} cards: ${Math.round(more / MIB)} MiB more memory`);
  expect(more / MIB).toBeLessThan(64);
});
