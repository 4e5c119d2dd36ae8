// Holds the floor to the service: the same requests on copies of one database must be answered alike and logged alike.

import postgres from "postgres";
import { types } from "../src/db/postgres/types.js";
import type { Operation, Request } from "./operations.js";

interface Side {
  url: string;
  databaseUrl: string;
}

const IDENTIFIER_OR_INSTANT = /"(?:[0-9A-Za-z]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z)"/g;
const EVENTS = `select seq, type, actor_id, board_public_id, card_public_id, data, origin from event where seq > $1 order by seq`;

async function answerOf(url: string, token: string, { method, path, body, headers }: Request): Promise<string> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path} at ${url}: ${response.status} ${text}`);
  return text;
}

const connected = (databaseUrl: string) =>
  postgres(databaseUrl, { max: 1, types, fetch_types: false, onnotice: () => {} });

/** The answer of a call, and the events that it logs if it writes. */
async function effectOf({ url, databaseUrl }: Side, token: string, request: Request): Promise<string> {
  if (request.method === "GET") return answerOf(url, token, request);
  const db = connected(databaseUrl);
  const [last] = await db<{ seq: number }[]>`select max(seq) as seq from event`;
  const answer = await answerOf(url, token, request);
  const events = await db.unsafe(EVENTS, [String(last?.seq ?? 0)]);
  await db.end();
  return `${answer}\n${JSON.stringify(events)}`;
}

/** Throws where the floor answers or logs anything else than the service. */
export async function mustAgree(operation: Operation, token: string, service: Side, floor: Side): Promise<void> {
  if (operation.agreement === null) return;
  const request = operation.next();
  const seen: string[] = [];
  for (const side of [service, floor]) {
    const effect = await effectOf(side, token, request);
    seen.push(operation.agreement === "bytes" ? effect : effect.replaceAll(IDENTIFIER_OR_INSTANT, '"…"'));
  }
  const [ours = "", floors = ""] = seen;
  if (ours === floors) return;
  const at = [...ours].findIndex((character, index) => character !== floors[index]);
  const excerpt = (text: string) => text.slice(Math.max(0, at - 100), at + 100);
  throw new Error(
    `${operation.name}: the floor differs at ${at}\nservice: ${excerpt(ours)}\nfloor:   ${excerpt(floors)}`,
  );
}
