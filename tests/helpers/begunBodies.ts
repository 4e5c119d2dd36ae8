// Clients that begin to send a large body and leave the rest to come.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { ok, type TestApp } from "./app.js";
import type { Bearer } from "./requests.js";

const LENGTH = 2 * 1024 * 1024;

/** A client that has begun. */
export interface Begun {
  socket: Socket;
  /** What it was sent so far. */
  received: () => string;
}

/** Sends the head of a large body and a part of it, and waits until the service has its head. */
export async function beginBody(
  { as, listening }: Pick<TestApp, "as" | "listening">,
  person: Bearer,
  path = "/api/v1/imports/csv/preview",
): Promise<Begun> {
  // Whose token is known has the place with the head of the request.
  ok(await as(person).get("/users/me"));
  const { hostname, port } = new URL(await listening());
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${person.token}\r\nExpect: 100-continue`;
  socket.write(`${head}\r\nContent-Length: ${LENGTH}\r\n\r\n`);
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await once(socket, "data");
  socket.write('{"csv":"');
  ok(await as(person).get("/users/me"));
  return { socket, received: () => text };
}
