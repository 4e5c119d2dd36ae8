// Sends a request to the application and holds its answer to what every answer must be: of the document, in time, no fault of ours.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { VERSION } from "../../src/version.js";
import type { TestApp } from "../helpers/app.js";
import { mustBeDocumented } from "../helpers/documented.js";
import type { RawRequest } from "../helpers/requests.js";
import type { Described } from "./document.js";
import { curlOf } from "./requests.js";
import { ANSWER_LIMIT_MS, repeat } from "./settings.js";

export interface Answer {
  status: number;
  contentType: string | undefined;
  headers: Record<string, string | undefined>;
  body: unknown;
  text: string;
}

function parsed(text: string, contentType: string | undefined): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(contentType ?? "")) return text;
  return JSON.parse(text);
}

/** Over a socket, because a stream has no end: its head alone is read, and the connection closed. */
async function overSocket(base: string, { method, url, headers = {}, body }: RawRequest): Promise<Answer> {
  const leaving = new AbortController();
  const response = await fetch(base + url, {
    method,
    headers,
    signal: leaving.signal,
    ...(body !== undefined && { body: String(body) }),
  });
  const contentType = response.headers.get("content-type") ?? undefined;
  const isStream = response.ok && contentType?.startsWith("text/event-stream") === true;
  const text = isStream ? "" : await response.text();
  leaving.abort();
  const answered = Object.fromEntries(response.headers.entries());
  return { status: response.status, contentType, headers: answered, body: parsed(text, contentType), text };
}

async function injected({ app }: TestApp, { method, url, headers = {}, body }: RawRequest): Promise<Answer> {
  const response = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
  const contentType = response.headers["content-type"]?.toString();
  const answered = Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]);
  return {
    status: response.statusCode,
    contentType,
    headers: Object.fromEntries(answered),
    body: parsed(response.body, contentType),
    text: response.body,
  };
}

/** A fault that says how to see it again. */
export function fault(operation: Described, request: RawRequest, token: string | null, what: string): Error {
  return new Error(`${operation.name}: ${what}\n${curlOf(request, token).slice(0, 4000)}\n${repeat(operation.name)}`);
}

/** Sends a request. An answer that no request may get is thrown as a fault, whatever was sent. */
export async function answerTo(
  test: TestApp,
  operation: Described,
  request: RawRequest,
  token: string | null,
): Promise<Answer> {
  // As a page of the service sends it, so that it may ask for a session in a cookie.
  const page = { "sec-fetch-site": "same-origin" };
  const headers = { ...page, ...request.headers, ...(token !== null && { authorization: `Bearer ${token}` }) };
  const sent = { ...request, headers };
  const sending = operation.isStream ? overSocket(await test.listening(), sent) : injected(test, sent);
  const limit = new AbortController();
  const answer = await Promise.race([
    sending,
    sleep(ANSWER_LIMIT_MS, null, { signal: limit.signal, ref: false }).catch(() => null),
  ]);
  limit.abort();
  if (answer === null) throw fault(operation, request, token, `no answer within ${ANSWER_LIMIT_MS} ms`);
  if (answer.status >= 500) throw fault(operation, request, token, `${answer.status} ${answer.text}`);
  try {
    mustBeDocumented({ method: request.method, url: request.url, ...answer });
  } catch (error) {
    throw fault(operation, request, token, `${answer.status} ${answer.text.slice(0, 2000)}\n${error}`);
  }
  expect(answer.headers["x-request-id"]).toBeDefined();
  expect(answer.headers["service-version"]).toBe(VERSION);
  return answer;
}
