// A call over REST and over tRPC, and what both must answer.

import { ERRORS } from "../../src/api/errors.js";
import { REST_BASE } from "../../src/api/rest.js";
import type { Answer } from "../helpers/app.js";
import type { RawRequest } from "../helpers/requests.js";
import { methodOf, type Outcome } from "./contract.js";
import type { Input } from "./rows.js";

export const FACES = ["REST", "tRPC"] as const;
export type Face = (typeof FACES)[number];

const JSON_TYPE = { "content-type": "application/json" };
const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

export function requestOf(face: Face, path: string, at: string, input: Input): RawRequest {
  const method = METHODS.find((name) => name === methodOf({ at })) ?? "GET";
  const body = JSON.stringify(input);
  if (face === "tRPC" && method === "GET") return { method, url: `/trpc/${path}?input=${encodeURIComponent(body)}` };
  if (face === "tRPC") return { method: "POST", url: `/trpc/${path}`, body, headers: JSON_TYPE };

  const rest = { ...input };
  const url = at.slice(at.indexOf("/")).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  if (method !== "GET") return { method, url: REST_BASE + url, body: JSON.stringify(rest), headers: JSON_TYPE };
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method, url: `${REST_BASE}${url}?${query}` };
}

const alike = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What is wrong with an answer that should be this outcome, to the last key; null where nothing is. */
export function faultOf(face: Face, res: Answer<unknown>, outcome: Outcome): string | null {
  const got = `expected ${outcome}, got ${res.status} ${res.text.slice(0, 300)}`;
  if (outcome === "OK") return res.status === 200 ? null : got;
  const { status, message } = ERRORS[outcome];
  const isJson = res.headers["content-type"]?.startsWith("application/json") ?? false;
  if (res.status !== status || !isJson) return got;
  const body = Object(res.body);
  // What was wrong with an input is said; who may not is told no more than that.
  const issues: unknown = outcome === "BAD_REQUEST" ? (body.error?.data?.issues ?? body.issues) : [];
  const expected =
    face === "REST"
      ? { code: outcome, message, issues }
      : { error: { message, code: body.error?.code, data: { code: outcome, httpStatus: status, issues } } };
  return Array.isArray(issues) && alike(sorted(body), sorted(expected)) ? null : got;
}

/** The same value with every object's keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
