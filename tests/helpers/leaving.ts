// Clients that hang up while the service looks up their token, before the request has reached its operation.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import type { TestApp } from "./app.js";

/**
 * Sends requests, each up to the end of its head, and hangs up before the service knows whose they are. Their tokens must not have
 * been used before: the first use is written, and waits here.
 */
export async function hangUpEarly({ app, db, listening }: TestApp, heads: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(await listening());
  await db.transaction(async (tx) => {
    await tx.rows(sql`select 1 from access_token for update`);
    for (const head of heads) {
      const accepted = once(app.server, "connection") as Promise<[Socket]>;
      const received = once(app.server, "request");
      const client = connect(Number(port), hostname);
      client.write(`${head}\r\n\r\n`);
      const [socket] = await accepted;
      await received;
      client.destroy();
      await once(socket, "close");
    }
  });
}
