// A TCP proxy in front of the test database: counts flights, keeps what clients sent, and can be cut and put back.

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  url: string;
  /** How often the direction of traffic turned from the server's to the client's: one for each round trip. */
  flights: number;
  /** What the clients sent, as latin1. */
  sent: string;
  /** `pass`; `drop`: connections are cut and new ones refused; `hold`: nothing is passed on, in either direction. */
  set(mode: "pass" | "drop" | "hold"): Promise<void>;
  /**
   * Cuts the connection that sends the next COMMIT: `before` the server hears of it, or `after` it has answered, which the client does
   * not hear.
   */
  cutAtCommit(when: "before" | "after"): void;
  close(): Promise<void>;
}

export async function openProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let mode = "pass";
  let clientSpoke = false;
  let cutting: "before" | "after" | null = null;

  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname).setNoDelay(true);
    client.setNoDelay(true);
    let isLost = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", (chunk) => {
        if (from === client && !clientSpoke) proxy.flights += 1;
        if (from === client) proxy.sent += chunk.toString("latin1");
        clientSpoke = from === client;
        if (from === client && cutting !== null && /\bcommit\0/i.test(chunk.toString("latin1"))) {
          isLost = cutting === "after";
          cutting = null;
          if (!isLost) return void client.destroy();
        }
        if (from === upstream && isLost) {
          if (chunk.toString("latin1").includes("COMMIT\0")) client.destroy();
          return;
        }
        if (mode === "pass") to.write(chunk);
      });
    }
  });
  await listen(server, 0);
  const listening = (server.address() as AddressInfo).port;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };

  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(listening);
  const proxy: TcpProxy = {
    url: url.href,
    flights: 0,
    sent: "",
    async set(next) {
      if (next === "drop") await cut();
      else if (mode === "drop") await listen(server, listening);
      mode = next;
    },
    cutAtCommit(when) {
      cutting = when;
    },
    async close() {
      if (mode !== "drop") await cut();
    },
  };
  return proxy;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}
