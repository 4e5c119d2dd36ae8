// Raw bytes over a socket, for what no HTTP client would send.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Answer } from "./requests.js";

/** Sends bytes to a server and reads its one answer, to the end of the connection or of the body it announces. */
export async function exchange(baseUrl: string, ...parts: (string | Buffer)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  // The server may end the connection before it has read everything.
  socket.on("error", () => {});
  for (const part of parts) socket.write(part);
  const text = await received(socket);
  socket.destroy();

  const [head = "", body = ""] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.toLowerCase(), value.join(":").trim()];
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: parsed(body),
    text,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (isWhole(text)) resolve(text);
    });
    socket.on("close", () => resolve(text));
  });
}

function isWhole(text: string): boolean {
  const [head = "", body] = text.split("\r\n\r\n");
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && Buffer.byteLength(body) >= Number(length);
}
