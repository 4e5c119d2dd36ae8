// Notes when tokens were last used: behind the answers, many tokens at a time. No call needs the write, which fails while a server of a
// distributed database is down. What could not be written is noted with the next lookup of the token.

import { setTimeout as sleep } from "node:timers/promises";
import { and, gt, isNull, or, sql } from "drizzle-orm";
import { type Database, oncePer, oneOf } from "../db/client.js";
import { accessToken } from "../db/schema/index.js";

/** `lastUsedAt`, and with it the end of a session, is kept to the minute: a request that reads should not write. */
export const USE_GRANULARITY_MS = 60_000;
/** Uses within this time are written together. */
const GATHER_MS = 100;

/** Session tokens live this long from their last use, by the clock of the database, which says when they have ended. */
const SESSION_DAYS = 30;
const DAY_MS = 86_400_000;

/** The end of a session that is used in a statement. */
export const sessionEnd = sql<string>`now() + ${sql.raw(`interval '${SESSION_DAYS} days'`)}`;

/** The end of a session that is used at a time of the database; both ISO 8601. */
export const sessionEndFrom = (now: string): string => new Date(Date.parse(now) + SESSION_DAYS * DAY_MS).toISOString();

/** The uses that one process has yet to write. */
class TokenUses {
  readonly #db: Database;
  readonly #used = new Set<number>();
  #isWriting = false;

  constructor(db: Database) {
    this.#db = db;
  }

  add(tokenId: number): void {
    this.#used.add(tokenId);
    if (!this.#isWriting) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#used.size > 0) {
      await sleep(GATHER_MS, undefined, { ref: false });
      const ids = [...this.#used];
      this.#used.clear();
      await this.#write(ids).catch(() => {});
    }
    this.#isWriting = false;
  }

  async #write(ids: readonly number[]): Promise<void> {
    const { kind, expiresAt } = accessToken;
    await this.#db
      .update(accessToken)
      .set({
        lastUsedAt: sql`now()`,
        expiresAt: sql`case when ${kind} = 'session' then ${sessionEnd} else ${expiresAt} end`,
      })
      // One that ended meanwhile stays ended.
      .where(and(oneOf(accessToken.id, ids), or(isNull(expiresAt), gt(expiresAt, sql`now()`))));
  }
}

const usesIn = oncePer((db) => new TokenUses(db));

/** Notes that a token is used, soon, unless that was noted within the last minute. Returns when it was used, in milliseconds. */
export function noteUse(db: Database, { tokenId, lastUsedAt }: { tokenId: number; lastUsedAt: string | null }): number {
  const notedAt = lastUsedAt === null ? 0 : Date.parse(lastUsedAt);
  if (Date.now() - notedAt < USE_GRANULARITY_MS) return notedAt;
  usesIn(db).add(tokenId);
  return Date.now();
}
