// One attempt to deliver: signs the message by the Standard Webhooks scheme, posts it, and describes the result in words (contract
// section 6). Of the receiver's response only the status and Retry-After are read.

import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { Webhook } from "standardwebhooks";
import { guardedLookup, NOT_PUBLIC, type Outside, problemOfUrl, Undeliverable } from "./addresses.js";
import { readRetryAfter } from "./schedule.js";

/** The time limit of an attempt in total: name, connection, TLS, headers and body. */
const ATTEMPT_LIMIT_MS = 10_000;
/** The most bytes of a response's body that are read and discarded; longer bodies count as read. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** A message to a receiver. */
export interface WebhookRequest {
  /** The delivery's identifier, the same with every attempt. */
  id: string;
  url: string;
  /** The secrets that sign, the newest first. */
  secrets: readonly string[];
  body: string;
}

/** The result of an attempt: `error` is null if it was delivered, `status` if no complete response arrived. */
export interface AttemptResult {
  status: number | null;
  error: string | null;
  retryAfterSeconds: number | null;
}

/** The body of a message: `data` is the event, null for a test. */
export const bodyOf = (type: string, timestamp: string, data: object | null) =>
  JSON.stringify({ type, timestamp, data });

function headersOf({ id, secrets, body }: WebhookRequest): Record<string, string | number> {
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

/** Starts a request on a connection of its own, without a proxy, redirects or keep-alive. */
function begin(message: WebhookRequest, outside: Outside, signal: AbortSignal): ClientRequest {
  const url = new URL(message.url);
  const options = { method: "POST", headers: headersOf(message), lookup: guardedLookup(outside), signal };
  if (url.protocol === "http:") return http.request(url, { ...options, agent: new http.Agent({ keepAlive: false }) });
  const agent = new https.Agent({ keepAlive: false, rejectUnauthorized: true });
  return https.request(url, { ...options, agent });
}

function post(message: WebhookRequest, outside: Outside, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = begin(message, outside, signal);
    request.on("error", reject);
    request.once("close", () => reject(new Undeliverable("The connection ended without a response")));
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

/** Sends a message once, at the latest until `ending` is aborted. Never throws. Seconds of `Retry-After` count from now. */
export async function send(message: WebhookRequest, outside: Outside, ending?: AbortSignal): Promise<AttemptResult> {
  if (problemOfUrl(message.url, outside.allowPrivate) !== null) return failed(NOT_PUBLIC);
  const limit = new AbortController();
  const cut = () => limit.abort();
  const timer = setTimeout(cut, ATTEMPT_LIMIT_MS);
  ending?.addEventListener("abort", cut);
  try {
    const { statusCode: status = 0, headers } = await post(message, outside, limit.signal);
    if (status < 100 || status > 599) return failed("The response is not HTTP");
    const error = status >= 200 && status < 300 ? null : problemOfStatus(status);
    return { status, error, retryAfterSeconds: readRetryAfter(headers["retry-after"]) };
  } catch (error) {
    if (ending?.aborted) return failed("The service stopped during the attempt");
    return failed(limit.signal.aborted ? "No complete response within 10 seconds" : problemOfError(error));
  } finally {
    clearTimeout(timer);
    ending?.removeEventListener("abort", cut);
  }
}

const failed = (error: string): AttemptResult => ({ status: null, error, retryAfterSeconds: null });

const problemOfStatus = (status: number) =>
  `The response has the status ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}`;

/** Only our own words: the system's messages may contain an address. */
function problemOfError(error: unknown): string {
  if (error instanceof Undeliverable) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED") return "The connection was refused";
  if (code.startsWith("HPE_")) return "The response is not HTTP";
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return "The TLS certificate is not trusted";
  if (/SSL|TLS|EPROTO/.test(code)) return "The TLS connection failed";
  return "The connection failed";
}
