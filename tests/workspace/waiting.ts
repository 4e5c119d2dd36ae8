// Lets a test act at the moment when another session waits for a lock.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Database } from "../../src/db/client.js";
import { sessions } from "../helpers/racing.js";

/** Whether transactions run side by side; embedded they run one by one, and none ever waits. */
export const onServer = Boolean(process.env.TEST_DATABASE_URL);

/** Resolves when a session of this database waits for a lock; fails after five seconds. */
export async function untilSomeoneWaits(db: Database): Promise<void> {
  const limit = Date.now() + 5000;
  while (Date.now() < limit) {
    const waiting = await db.rows(sql`select pid from ${sessions()} where waits`);
    if (waiting.length > 0) return;
    await sleep(5);
  }
  expect.fail("nobody waits for a lock");
}
