// What the document allows is accepted: requests drawn from it alone succeed, or are refused for a reason that no schema can state.
// @module-tag slow

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { SEED } from "../helpers/drawing.js";
import type { Described } from "./document.js";
import { peopleEnvironment } from "./people.js";
import {
  type Drawn,
  namesFor,
  namesNothing,
  rawRequest,
  type Values,
  validRequest,
  withIdentifiers,
} from "./requests.js";
import { answerTo, fault } from "./sending.js";
import { HALF, tried } from "./settings.js";
import { lastsFor, MOSTLY_GIVEN, mostlyStatedFor, reasonOf } from "./special.js";
import { type World, worldMakers } from "./world.js";

const app = await testApp({
  WEBHOOK_ALLOW_PRIVATE: "true",
  TRELLO_APP_KEY: "key",
  GITHUB_CLIENT_ID: "id",
  ...(await peopleEnvironment()),
});
const { scene, world } = worldMakers(app);
const shared = await world();

/** How often each operation succeeded, and why it was refused where it was. */
const counts = new Map<string, Map<string, number>>();

function count(operation: string, outcome: string): void {
  const outcomes = counts.get(operation) ?? new Map<string, number>();
  counts.set(operation, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
}

/** A page that an answer told how to go on from. */
interface Page {
  params: Values;
  query: Values;
}

const KEY = "Idempotency-Key";
/** Leaves room for a number in what a key may be at most. */
const LONGEST_KEY = 245;

/** Pages of the operation that is tried, to be followed now and then. */
let pages: Page[] = [];

function keepPage({ params, query }: Drawn, body: unknown): void {
  const { nextCursor } = Object(body);
  if (typeof nextCursor === "string")
    pages = [{ params, query: { ...query, cursor: nextCursor } }, ...pages].slice(0, 4);
}

/** A request that asks for a cursor goes on from an earlier answer, where there is one. */
function following(sent: Drawn): Drawn {
  const page = pages[sent.place % Math.max(1, pages.length)];
  if (!("cursor" in sent.query)) return sent;
  if (page !== undefined) return { ...sent, ...page };
  const { cursor: _, ...query } = sent.query;
  return { ...sent, query };
}

let keys = 0;

/** The same under a key of its own: one that came before, with another request, would be a CONFLICT. */
function underNewKey(sent: Drawn): Drawn {
  const key = sent.headers[KEY];
  if (typeof key !== "string") return sent;
  keys += 1;
  return { ...sent, headers: { ...sent.headers, [KEY]: `${key.slice(0, LONGEST_KEY)}${keys}` } };
}

async function attempt(operation: Described, place: World, drawn: Drawn): Promise<void> {
  const { ids, token } = await scene(place, operation, {
    turn: drawn.place,
    names: namesFor(operation, [drawn]),
  });
  const sent = underNewKey(following(withIdentifiers(drawn, ids)));
  const request = rawRequest(operation, sent);
  const answer = await answerTo(app, operation, request, token);
  if (answer.status < 400) {
    keepPage(sent, answer.body);
    return count(operation.name, "accepted");
  }
  const isUnknown = namesNothing(drawn) && (answer.status === 403 || answer.status === 404);
  const reason = isUnknown
    ? "unknown identifier"
    : reasonOf(operation.name, answer, { ...sent.params, ...sent.query, ...Object(sent.body) });
  if (reason === null) throw fault(operation, request, token, `refused: ${answer.status} ${answer.text}`);
  count(operation.name, reason);
}

describe(`requests that the document allows, seed ${SEED}`, () => {
  test.each(tried)(
    "$method $path",
    async (operation) => {
      pages = [];
      let place = operation.method === "GET" ? shared : await world();
      let calls = 0;
      const drawn = validRequest(operation, { special: mostlyStatedFor(operation.name), usual: MOSTLY_GIVEN });
      await fc.assert(
        fc.asyncProperty(drawn, async (request) => {
          calls += 1;
          if (calls % (lastsFor(operation.name) ?? Number.POSITIVE_INFINITY) === 0) place = await world();
          await attempt(operation, place, request);
        }),
        { numRuns: HALF },
      );
      const accepted = counts.get(operation.name)?.get("accepted") ?? 0;
      expect(accepted, JSON.stringify(Object.fromEntries(counts.get(operation.name) ?? []))).toBeGreaterThan(HALF / 4);
    },
    30_000 + HALF * 300,
  );
});

afterAll(() => {
  const lines = [...counts].map(
    ([name, outcomes]) => `${name}: ${[...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(", ")}`,
  );
  console.log(`valid requests, seed ${SEED}\n${lines.join("\n")}`);
});
