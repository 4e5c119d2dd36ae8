// Calls of clients: over kept connections, as somebody who signed up, and again until there is an answer.

import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The answer: `status` 0 and the system's code if none came. */
export interface Answer {
  status: number;
  code: string;
  body: Record<string, unknown>;
}

/** Calls under `/api/v1` on kept connections, which `hangUp` closes; never throws. */
export interface Send {
  (method: string, path: string, body?: unknown): Promise<Answer>;
  hangUp(): void;
}

const REQUEST_LIMIT_MS = 30_000;

/** An empty object where the answer is none, as from a proxy. */
function parsed(text: string): Answer["body"] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** A client with a token. */
export function sender(url: string, token: string | null, connections = 1): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const send = (method: string, path: string, body?: unknown) =>
    new Promise<Answer>((resolve) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      };
      const fail = (error: Error & { code?: string }) =>
        resolve({ status: 0, code: error.code ?? error.message, body: {} });
      const sent = request(
        `${url}/api/v1${path}`,
        { agent, method, headers, timeout: REQUEST_LIMIT_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", fail);
          response.on("end", () => {
            const answered = parsed(Buffer.concat(chunks).toString());
            resolve({ status: response.statusCode ?? 0, code: String(response.statusCode), body: answered });
          });
        },
      );
      sent.on("timeout", () => sent.destroy(new Error("NO_ANSWER_IN_TIME")));
      sent.on("error", fail).end(text);
    });
  return Object.assign(send, { hangUp: () => agent.destroy() });
}

/** An address that nobody else has. */
export const newAddress = () => `drill-${Math.random().toString(36).slice(2)}@example.org`;

/** Makes an account and gives its token. */
export async function signUp(url: string, email = newAddress()): Promise<string> {
  const { status, body } = await sender(url, null)("POST", "/auth/sign-up", {
    name: "Ada",
    email,
    password: "correct horse battery",
  });
  if (status !== 200) throw new Error(`sign-up was answered with ${status}`);
  return String(body.accessToken);
}

/** Calls until there is an answer: processes are killed meanwhile. */
export async function insist(
  send: Send,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await send(method, path, body);
    if (answer.status === 200) return answer.body;
    if (answer.status !== 0 && answer.status !== 503) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
}

/** Makes something, however often that takes; its identifier. */
export const made = async (send: Send, path: string, body: object) =>
  String((await insist(send, "POST", path, body)).publicId);
