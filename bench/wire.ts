// Counts what travels between a server and PostgreSQL: a proxy that reads the protocol and passes everything on.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Statements, BEGIN and COMMIT among them, and round trips. */
export interface Traffic {
  statements: number;
  roundTrips: number;
}

export interface Wire {
  /** The URL to reach the database through the proxy. */
  url: string;
  /** The traffic so far. */
  traffic(): Traffic;
  close(): void;
}

const EXECUTE = "E".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
const HEADER_BYTES = 5;

/** Opens a proxy to the server of a URL. */
export async function tap(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const traffic: Traffic = { statements: 0, roundTrips: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket.setNoDelay(true).on("error", () => {}));
      socket.on("close", () => sockets.delete(socket));
    }
    const count = counter(traffic);
    client.on("data", count.sent).pipe(database);
    database.on("data", count.answered).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  return {
    url: url.href,
    traffic: () => ({ ...traffic }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Counts one connection: a round trip begins with the first statement that is sent after an answer. */
function counter(traffic: Traffic) {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  let wasAnswered = true;
  return {
    sent: (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      if (!started) {
        // The startup message has no type; it is the first thing sent, whole.
        if (pending.length < 4 || pending.length < pending.readUInt32BE(0)) return;
        pending = pending.subarray(pending.readUInt32BE(0));
        started = true;
      }
      while (pending.length >= HEADER_BYTES && pending.length > pending.readUInt32BE(1)) {
        const isStatement = pending[0] === EXECUTE || pending[0] === QUERY;
        pending = pending.subarray(1 + pending.readUInt32BE(1));
        if (!isStatement) continue;
        traffic.statements += 1;
        if (wasAnswered) traffic.roundTrips += 1;
        wasAnswered = false;
      }
    },
    answered: () => {
      wasAnswered = true;
    },
  };
}
