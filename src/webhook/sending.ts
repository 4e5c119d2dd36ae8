// One attempt to deliver: signs the message by the Standard Webhooks scheme, posts it, and puts what became of it into words
// (contract section 6). Nothing of the receiver's answer is kept but its status and Retry-After.

import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { Webhook } from "standardwebhooks";
import { guardedLookup, NOT_PUBLIC, type Outside, problemOfUrl, Undeliverable } from "./addresses.js";
import { readRetryAfter } from "./schedule.js";

/** What an attempt gets in all: name, connection, TLS, headers and body. */
export const ATTEMPT_LIMIT_MS = 10_000;
/** How much of an answer's body is read, and thrown away; what is longer counts as read. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** A message to a receiver. */
export interface Message {
  /** The delivery's identifier, the same with every attempt. */
  id: string;
  url: string;
  /** Those that sign, the newest first. */
  secrets: readonly string[];
  body: string;
}

/** What became of an attempt: `error` is null where it was delivered, `status` where no whole answer came. */
export interface Outcome {
  status: number | null;
  error: string | null;
  retryAfterSeconds: number | null;
}

/** The body of a message: `data` is the event, null for a test. */
export const bodyOf = (type: string, timestamp: string, data: object | null) =>
  JSON.stringify({ type, timestamp, data });

function headersOf({ id, secrets, body }: Message): Record<string, string | number> {
  const now = new Date();
  return {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "user-agent": "work-board-webhooks",
    "webhook-id": id,
    "webhook-timestamp": Math.floor(now.getTime() / 1000),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(" "),
  };
}

/** Begins a request on a connection of its own: without a proxy, never followed, and never kept for the next receiver. */
function begin(message: Message, outside: Outside, signal: AbortSignal): ClientRequest {
  const url = new URL(message.url);
  const options = { method: "POST", headers: headersOf(message), lookup: guardedLookup(outside), signal };
  if (url.protocol === "http:") return http.request(url, { ...options, agent: new http.Agent({ keepAlive: false }) });
  const agent = new https.Agent({ keepAlive: false, rejectUnauthorized: true });
  return https.request(url, { ...options, agent });
}

function post(message: Message, outside: Outside, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = begin(message, outside, signal);
    request.on("error", reject);
    request.once("close", () => reject(new Undeliverable("The connection ended without an answer")));
    request.once("response", (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= ANSWER_LIMIT_BYTES) return;
        resolve(response);
        request.destroy();
      });
      response.once("end", () => resolve(response));
      response.on("error", reject);
    });
    request.end(message.body);
  });
}

/** Sends a message once, until `ending` is aborted at the latest. Never throws. Seconds of `Retry-After` count from now. */
export async function send(message: Message, outside: Outside, ending?: AbortSignal): Promise<Outcome> {
  if (problemOfUrl(message.url, outside.allowPrivate) !== null) return failed(NOT_PUBLIC);
  const limit = new AbortController();
  const cut = () => limit.abort();
  const timer = setTimeout(cut, ATTEMPT_LIMIT_MS);
  ending?.addEventListener("abort", cut);
  try {
    const { statusCode: status = 0, headers } = await post(message, outside, limit.signal);
    if (status < 100 || status > 599) return failed("The answer is not HTTP");
    const error = status >= 200 && status < 300 ? null : problemOfStatus(status);
    return { status, error, retryAfterSeconds: readRetryAfter(headers["retry-after"]) };
  } catch (error) {
    if (ending?.aborted) return failed("The service ended during the attempt");
    return failed(limit.signal.aborted ? "No whole answer within 10 seconds" : problemOfError(error));
  } finally {
    clearTimeout(timer);
    ending?.removeEventListener("abort", cut);
  }
}

const failed = (error: string): Outcome => ({ status: null, error, retryAfterSeconds: null });

const problemOfStatus = (status: number) =>
  `Answered with status ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}`;

/** Only words of our own: what the system says may hold an address. */
function problemOfError(error: unknown): string {
  if (error instanceof Undeliverable) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED") return "The connection was refused";
  if (code.startsWith("HPE_")) return "The answer is not HTTP";
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return "The certificate is not one to trust";
  if (/SSL|TLS|EPROTO/.test(code)) return "No secure connection could be made";
  return "The connection failed";
}
