// Receivers of webhooks in drills: the one of examples/, and three that are as slow as they can be.

import { createServer as createHttpServer, type Server } from "node:http";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createReceiver, type Message } from "../examples/webhook-receiver.js";
import type { Run } from "./harness.js";

function listening(run: Run, server: Server | NetServer): Promise<string> {
  run.onEnd(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
    });
  });
}

/** Takes what is signed by a secret, which is known only after its URL is. */
export async function receive(run: Run, onMessage: (message: Message, id: string) => void) {
  let trusted: Server | undefined;
  let refused = 0;
  const server = createHttpServer((req, res) => {
    res.once("finish", () => {
      if (res.statusCode === 401) refused += 1;
    });
    // The first message can come before the secret is here.
    if (trusted === undefined) res.writeHead(503).end();
    else trusted.emit("request", req, res);
  });
  run.onEnd(() => server.closeAllConnections());
  return {
    url: await listening(run, server),
    trust: (secret: string) => {
      trusted = createReceiver(secret, onMessage);
    },
    refused: () => refused,
  };
}

type Behaviour = (socket: Socket) => void;

const BAD: Record<string, Behaviour> = {
  "never answers": () => {},
  "sends a byte a second": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 1000);
    socket.once("close", () => clearInterval(timer));
  },
  "sends headers without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("x: y\r\n"), 500);
    socket.once("close", () => clearInterval(timer));
  },
  "sends a body without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = () => {
      while (!socket.destroyed && socket.write("x".repeat(16_384)));
    };
    socket.on("drain", more);
    more();
  },
};

/** A connection to a bad receiver, from when it was made until the other side gave it up. */
export interface Held {
  receiver: string;
  fromMs: number;
  ms: number;
}

/** One receiver a way of being bad, and how long each of their connections was held. */
export async function badReceivers(run: Run) {
  const held: Held[] = [];
  const urls: string[] = [];
  for (const [receiver, behave] of Object.entries(BAD)) {
    const server = createServer((socket) => {
      const begun = performance.now();
      socket.on("error", () => {});
      socket.once("close", () => held.push({ receiver, fromMs: begun, ms: performance.now() - begun }));
      socket.resume();
      behave(socket);
    });
    urls.push(await listening(run, server));
  }
  return { urls, held };
}
