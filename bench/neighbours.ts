// Calls whose statuses and times are recorded: of accounts that cause trouble, and of their neighbours in workspaces of their own.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { newTitle, oneOf } from "./operations.js";
import { at } from "./report.js";
import type { Server } from "./servers.js";
import type { SmallWorld } from "./world.js";

/** The statuses and times of calls. */
export interface Seen {
  statuses: Map<number, number>;
  times: number[];
}

export const nothingSeen = (): Seen => ({ statuses: new Map(), times: [] });

/**
 * Calls once, and records the status and the time in milliseconds; without an answer the status is 0. The answer comes as gzip, like that
 * of `fetch`, and is not decompressed: that would take the processors from the service which is measured.
 */
export async function callOnce(
  seen: Seen,
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: string,
): Promise<void> {
  const begun = performance.now();
  const status = await answerTo(url + path, {
    method,
    headers: {
      "accept-encoding": "gzip",
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    },
    body,
  }).catch(() => 0);
  seen.times.push(performance.now() - begun);
  seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
}

interface Call {
  method: string;
  headers: Record<string, string | number>;
  body: string | undefined;
}

/** The status of an answer that has come to its end. */
async function answerTo(url: string, { method, headers, body }: Call): Promise<number> {
  const call = request(url, { method, headers }).end(body);
  const [answer]: IncomingMessage[] = await once(call, "response");
  if (answer === undefined) return 0;
  await once(answer.resume(), "end");
  return answer.statusCode ?? 0;
}

/** Calls at an interval, whether or not earlier calls are answered, until `isOver`; resolves when all are. */
export async function atInterval(intervalMs: number, isOver: () => boolean, call: () => Promise<void>): Promise<void> {
  const running: Promise<void>[] = [];
  for (let next = performance.now(); !isOver(); next += intervalMs) {
    running.push(call());
    await sleep(Math.max(0, next + intervalMs - performance.now()));
  }
  await Promise.all(running);
}

/** Calls again and again, each when the one before is answered, until `until`. */
export async function withoutPause(until: number, call: () => Promise<void>): Promise<void> {
  while (performance.now() < until) await call();
}

/** Somebody reads, renames and creates in a workspace of their own. */
export function useOwnWorkspace(
  seen: Seen,
  { url }: Server,
  { token, board, list, cards }: SmallWorld,
  { intervalMs, isOver }: { intervalMs: number; isOver: () => boolean },
): Promise<void> {
  const calls = [
    () => callOnce(seen, url, token, "GET", `/api/v1/boards/${board}`),
    () => callOnce(seen, url, token, "PUT", `/api/v1/cards/${oneOf(cards)}`, JSON.stringify({ title: newTitle() })),
    () => callOnce(seen, url, token, "POST", "/api/v1/cards", JSON.stringify({ title: "New", listPublicId: list })),
  ];
  return atInterval(intervalMs, isOver, () => oneOf(calls)());
}

export const shownStatuses = ({ statuses }: Seen): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");

/** The time in milliseconds below which a share of the calls lies. */
export const shownMs = ({ times }: Seen, share: number): string => at(times, share).toFixed(0);
