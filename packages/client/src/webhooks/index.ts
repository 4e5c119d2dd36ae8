// `work-board-client/webhooks`: verifies the messages that webhooks receive, which are signed as Standard Webhooks specifies. It needs
// WebCrypto and nothing else, so that it runs in workers too.

import type { EventOf, EventType } from "../client.js";

/** The body of a message: an event, or the test that an admin sent. */
export type WebhookMessage =
  | { [Type in EventType]: { type: Type; timestamp: string; data: EventOf<Type> } }[EventType]
  | { type: "webhook.test"; timestamp: string; data: null };

/** The headers of a request: those of `fetch`, or the object of Node. */
export type WebhookHeaders = Pick<Headers, "get"> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A message whose signature is wrong, or which is too old or too new. Answer 401 to it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** A message that was signed at another time than within this many seconds may be a repetition by somebody else. */
const TOLERANCE_S = 5 * 60;

const isObjectOfFetch = (headers: WebhookHeaders): headers is Pick<Headers, "get"> => typeof headers.get === "function";

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isObjectOfFetch(headers) ? headers.get(name) : headers[name];
  if (typeof value !== "string") throw new WebhookError(`The message has no header ${name}`);
  return value;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/**
 * Verifies a message, and returns it. `body` is the text of the request as it arrived, `secret` the `whsec_…` of the webhook.
 * @throws WebhookError for a message that must not be believed, TypeError for a `secret` that is none.
 */
export async function verify(body: string, headers: WebhookHeaders, secret: string): Promise<WebhookMessage> {
  const raw = bytesOf(secret.replace(/^whsec_/, ""));
  if (raw.length === 0) throw new TypeError("The secret of a webhook begins with whsec_");
  const id = headerOf(headers, "webhook-id");
  const signedAt = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  if (!(Math.abs(Date.now() / 1000 - Number(signedAt)) <= TOLERANCE_S)) {
    throw new WebhookError("The message is older than five minutes, or the clocks differ");
  }
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const content = new TextEncoder().encode(`${id}.${signedAt}.${body}`);
  // While a secret is replaced, a message has a signature by each.
  for (const signature of signatures) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytesOf(value), content))) return JSON.parse(body);
  }
  throw new WebhookError("The signature of the message is wrong");
}
