// What the document refuses is refused: the right code, the field named, and nothing changed.
// @module-tag slow

import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ERRORS } from "../../src/api/errors.js";
import { testApp } from "../helpers/app.js";
import { SEED } from "../helpers/drawing.js";
import type { Described } from "./document.js";
import { peopleEnvironment } from "./people.js";
import { type Drawn, namesFor, validRequest, withIdentifiers } from "./requests.js";
import { type Answer, answerTo, fault } from "./sending.js";
import { HALF, tried } from "./settings.js";
import { looselyStatedFor } from "./special.js";
import { type Scene, worldMakers } from "./world.js";
import { type Wrong, wrongsOf } from "./wrongs.js";

const app = await testApp(await peopleEnvironment());
const { scene, world } = worldMakers(app);
const shared = await world();

/** A digest of every row of every table, but for what using a token changes. */
async function contents(): Promise<Record<string, string>> {
  const tables = await app.db.rows<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const digests = tables.map(
    ({ name }) => sql`
      select ${name}::text as name, coalesce(md5(string_agg(row, ',' order by row)), '') as digest
      from (select (to_jsonb(t) - 'last_used_at' - 'expires_at')::text as row from ${sql.identifier(name)} t) rows`,
  );
  const rows = await app.db.rows<{ name: string; digest: string }>(sql.join(digests, sql` union all `));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

const CODES = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [status, code]));

function complaint({ what, status, field }: Wrong, answer: Answer): string | null {
  const { code, issues = [] } = Object(answer.body);
  if (answer.status !== status || code !== CODES[status]) return `${what}: ${answer.status} instead of ${status}`;
  if (field === null) return null;
  const blamed: unknown[] = Array.isArray(issues) ? issues.map(({ path }) => String(path[0])) : [];
  if (!blamed.includes(field)) return `${what}: does not name ${field}`;
  return blamed.every((name) => name === field) ? null : `${what}: blames ${blamed.join(", ")} too`;
}

let refused = 0;

async function attempt(operation: Described, wrong: Wrong, drawn: Drawn, { ids, ...caller }: Scene): Promise<void> {
  const request = wrong.in(withIdentifiers(drawn, ids));
  if (request === null) return;
  const token = wrong.withoutToken ? null : caller.token;
  const answer = await answerTo(app, operation, request, token);
  const problem = complaint(wrong, answer);
  if (problem !== null) throw fault(operation, request, token, `${problem}\n${answer.text.slice(0, 1000)}`);
  refused += 1;
}

describe(`requests that the document refuses, seed ${SEED}`, () => {
  test.each(tried)(
    "$method $path",
    async (operation) => {
      // Every wrong once at the least, each in a request of its own.
      const wrongs = wrongsOf(operation);
      const drawn = validRequest(operation, { special: looselyStatedFor(operation.name), isWhole: true });
      const requests = fc.sample(drawn, { numRuns: Math.max(HALF, wrongs.length), seed: SEED });
      const there = await scene(shared, operation, { turn: 0, names: namesFor(operation, requests) });
      const before = await contents();
      const each = async (act: (wrong: Wrong, request: Drawn) => Promise<void>) => {
        for (const [n, request] of requests.entries()) {
          const wrong = wrongs[n % wrongs.length];
          if (wrong !== undefined) await act(wrong, request);
        }
      };
      await each((wrong, request) => attempt(operation, wrong, request, there));
      if (JSON.stringify(await contents()) === JSON.stringify(before)) return;
      // Something was changed: which of them did it takes a look after each.
      await each(async (wrong, request) => {
        const untouched = await contents();
        await attempt(operation, wrong, request, there);
        expect(await contents(), wrong.what).toEqual(untouched);
      });
      expect(await contents()).toEqual(before);
    },
    30_000 + HALF * 300,
  );
});

afterAll(() => {
  console.log(`invalid requests, seed ${SEED}: ${refused} refused`);
  expect(refused).toBeGreaterThan(0);
});
