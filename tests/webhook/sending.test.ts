// One attempt: what counts as delivered, and how long anything may take (contract section 6).

import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { send, type WebhookRequest } from "../../src/webhook/sending.js";
import { CERTIFICATE, KEY } from "./certificate.js";
import { listen, receiver } from "./receivers.js";

const outside = { resolve: async () => ["127.0.0.1"], allowPrivate: true };

const to = (url: string): WebhookRequest => ({
  id: "000000000000",
  url,
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  body: JSON.stringify({ type: "card.created" }),
});

/** A server of raw bytes, and how many connections it holds. */
async function rawServer(answer: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
}

describe("an attempt", () => {
  test.each([200, 201, 202, 204, 299])("answered with %i is delivered", async (status) => {
    const { url } = await receiver((res) => res.writeHead(status).end());
    expect(await send(to(url), outside)).toEqual({ status, error: null, retryAfterSeconds: null });
  });

  test.each([304, 400, 404, 410, 429, 500, 599])("answered with %i is not", async (status) => {
    const { url } = await receiver((res) => res.writeHead(status, { "retry-after": "7" }).end("why"));
    const outcome = await send(to(url), outside);
    expect(outcome).toMatchObject({ status, retryAfterSeconds: 7 });
    expect(outcome.error).toContain(`The response has the status ${status}`);
  });

  test.each([
    ["no HTTP", "nonsense\r\n\r\n", "The response is not HTTP"],
    ["a status of no class", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n", "The response is not HTTP"],
    ["nothing", "", "The connection failed"],
    [
      "another protocol",
      "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
      "The connection ended without a response",
    ],
  ])("answered with %s fails in plain words", async (_, answer, error) => {
    expect(await send(to(await rawServer(answer)), outside)).toEqual({ status: null, error, retryAfterSeconds: null });
  });

  test("to a port where nobody listens, or without TLS where TLS is wanted, fails without naming an address", async () => {
    expect(await send(to("http://127.0.0.1:1/"), outside)).toMatchObject({ error: "The connection was refused" });
    const { url } = await receiver();
    const secure = url.replace("http:", "https:");
    expect(await send(to(secure), outside)).toMatchObject({ error: "The TLS connection failed" });
  });

  test("wants a certificate that it can trust", async () => {
    const server = createSecureServer({ key: KEY, cert: CERTIFICATE }, (_, res) => res.end());
    const secure = (await listen(server)).replace("http:", "https:");
    expect(await send(to(secure), outside)).toMatchObject({
      status: null,
      error: "The TLS certificate is not trusted",
    });
  });

  test("reads of a body without end no more than a little, and is over", async () => {
    const { url } = await receiver((res) => {
      res.writeHead(200);
      const more = () => {
        while (!res.destroyed && res.write("x".repeat(16_384)));
      };
      res.on("drain", more);
      more();
    });
    expect(await send(to(url), outside)).toMatchObject({ status: 200, error: null });
  });

  test("is over after 10 seconds: without an answer, with a byte a second of headers or of a body", {
    tags: ["slow"],
  }, async () => {
    const silent = await receiver(() => {});
    const slow = (start: (write: (text: string) => void) => void, text: string) =>
      receiver((res) => {
        const { socket } = res;
        const write = (piece: string) => void socket?.write(piece);
        start(write);
        const timer = setInterval(() => write(text), 1000);
        socket?.on("close", () => clearInterval(timer));
      });
    const headers = await slow((write) => write("HTTP/1.1 200 OK\r\n"), "x");
    const body = await slow((write) => write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"), "x");
    const outcomes = await Promise.all([silent, headers, body].map(({ url }) => send(to(url), outside)));
    expect(outcomes.map(({ error }) => error)).toEqual(Array(3).fill("No complete response within 10 seconds"));
  });

  test("ends at once when it is told to", async () => {
    const limit = new AbortController();
    const { url } = await receiver(() => limit.abort());
    expect(await send(to(url), outside, limit.signal)).toMatchObject({
      status: null,
      error: "The service stopped during the attempt",
    });
  });
});
