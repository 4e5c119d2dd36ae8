// How the slots of a process are shared, and when a failed delivery is tried again.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Waiting } from "../../src/webhook/deliveryQueue.js";
import { deliveryRetryInSeconds, readRetryAfter, STEPS_SECONDS } from "../../src/webhook/schedule.js";
import { type Flight, SLOTS, shareOut } from "../../src/webhook/shares.js";

const waiting = (webhookId: number, fields: Partial<Waiting> = {}): Waiting => ({
  workspaceId: webhookId,
  webhookId,
  url: `https://host${webhookId}.example.org/`,
  active: true,
  isFailing: false,
  dueSeconds: 0,
  ...fields,
});

const sum = (takes: readonly { take: number }[]) => takes.reduce((total, { take }) => total + take, 0);

test("one webhook gets a few slots, one that fails fewer, and all the failing together no more than half", () => {
  expect(shareOut([], [waiting(1)])).toEqual([{ workspaceId: 1, webhookId: 1, take: 10 }]);
  expect(shareOut([], [waiting(1, { isFailing: true })])).toEqual([{ workspaceId: 1, webhookId: 1, take: 2 }]);
  const failing = Array.from({ length: 100 }, (_, n) => waiting(n, { isFailing: true, dueSeconds: 1000 }));
  expect(sum(shareOut([], failing))).toBe(SLOTS / 2);
  const shares = shareOut([], [...failing, waiting(500)]);
  expect(shares.find(({ webhookId }) => webhookId === 500)?.take).toBe(10);
});

test("many webhooks of one workspace get one each and 40 more, and to one host no more than half", () => {
  const ofOne = Array.from({ length: 20 }, (_, n) => waiting(n, { workspaceId: 1 }));
  expect(sum(shareOut([], ofOne))).toBe(20 + 40);
  const toOne = Array.from({ length: 200 }, (_, n) => waiting(n, { url: `http://one.example.org:${8000 + n}/` }));
  expect(sum(shareOut([], toOne))).toBe(SLOTS / 2);
});

test("a webhook with nothing in flight gets a slot while others hold all that they may", () => {
  const dead = Array.from({ length: 4 }, (_, n) => waiting(n, { workspaceId: 1, url: "http://one.example.org/" }));
  const held = dead.flatMap((webhook) => Array<Flight>(10).fill(webhook));
  const healthy = waiting(9, { workspaceId: 1, url: "http://one.example.org:8080/" });
  expect(sum(shareOut(held, [...dead, healthy]))).toBeGreaterThanOrEqual(1);
  const elsewhere = Array.from({ length: 20 }, (_, n) => waiting(100 + n));
  const all = elsewhere.flatMap((webhook) => Array<Flight>(10).fill(webhook)).slice(0, 100);
  expect(shareOut([...held.slice(0, 12), ...all], [healthy])).toEqual([{ workspaceId: 1, webhookId: 9, take: 1 }]);
});

test("webhooks of two workspaces are two, also where their keys are the same", () => {
  const [one, other] = [waiting(7, { workspaceId: 1 }), waiting(7, { workspaceId: 2 })];
  expect(shareOut(Array<Flight>(10).fill(one), [other])).toEqual([{ workspaceId: 2, webhookId: 7, take: 10 }]);
});

test("who has least in flight comes first, then who has waited longest", () => {
  const flights: Flight[] = Array.from({ length: SLOTS - 2 }, (_, n) => waiting(1000 + (n % 20)));
  const shares = shareOut(flights, [
    waiting(1000),
    waiting(1),
    waiting(2, { dueSeconds: 5 }),
    waiting(3, { dueSeconds: 9 }),
  ]);
  expect(shares.map(({ webhookId }) => webhookId)).toEqual([3, 2]);
});

test("whatever waits, the slots are never exceeded, and none stays free that somebody may have", () => {
  const someone = fc.record({
    webhookId: fc.nat(30),
    workspaceId: fc.nat(5),
    isFailing: fc.boolean(),
    dueSeconds: fc.nat(99),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(someone, { selector: ({ webhookId }) => webhookId, maxLength: 30 }),
      fc.nat(128),
      (all, taken) => {
        const flights = Array.from({ length: taken }, (_, n) => waiting(1000 + n));
        const due = all.map(({ webhookId, ...fields }) => waiting(webhookId, fields));
        const shares = shareOut(flights, due);
        expect(sum(shares)).toBeLessThanOrEqual(SLOTS - taken);
        for (const { take } of shares) expect(take).toBeLessThanOrEqual(10);
        if (due.length > 0 && taken < SLOTS) expect(sum(shares)).toBeGreaterThan(0);
      },
    ),
  );
});

test("each step waits its time and at most a fifth more; Retry-After makes it later, up to the next step; the eighth is the last", () => {
  for (const [n, step] of STEPS_SECONDS.entries()) {
    const next = STEPS_SECONDS[n + 1] ?? step;
    for (const asked of [null, 0, step, next - 1, next + 1, 1e9]) {
      const seconds = deliveryRetryInSeconds(n + 1, asked) ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(Math.max(step, Math.min(asked ?? 0, next)));
      expect(seconds).toBeLessThanOrEqual(Math.max(step * 1.2, Math.min(asked ?? 0, next)));
    }
  }
  expect(deliveryRetryInSeconds(8, null)).toBeNull();
});

test("Retry-After is read as seconds or as an HTTP date, and as nothing else", () => {
  expect(readRetryAfter("120")).toBe(120);
  const soon = readRetryAfter(new Date(Date.now() + 60_000).toUTCString());
  expect(soon).toBeGreaterThan(0);
  expect(soon).toBeLessThanOrEqual(60);
  expect(readRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT")).toBe(0);
  for (const wrong of [undefined, "", "-1", "1.5", "soon", "2027", "1e3", "99999999999"]) {
    expect(readRetryAfter(wrong), String(wrong)).toBe(wrong === "2027" ? 2027 : null);
  }
});
