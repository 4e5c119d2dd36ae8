// A network between a client and the service that can swallow packets.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Opens another address of a service. What is sent while it swallows is lost on connections that are open already; those that are made
 * then go on when it is restored, as TCP does.
 */
export async function hole(serviceUrl: string) {
  let isSwallowing = false;
  const held: Socket[] = [];
  const ends = new Set<Socket>();
  const join = (socket: Socket) => {
    const behind = connect(Number(new URL(serviceUrl).port), "127.0.0.1");
    ends.add(behind.on("error", () => {}).on("close", () => isSwallowing || socket.destroy()));
    socket.on("data", (part) => isSwallowing || behind.write(part)).on("close", () => behind.destroy());
    behind.on("data", (part) => isSwallowing || socket.write(part));
  };
  const server = createServer((socket) => {
    ends.add(socket.on("error", () => {}));
    if (isSwallowing) held.push(socket);
    else join(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const end of ends) end.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: () => {
      isSwallowing = true;
    },
    restore: () => {
      isSwallowing = false;
      for (const socket of held.splice(0)) join(socket);
    },
  };
}
