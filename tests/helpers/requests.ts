// How tests call the application: REST without a socket, as a person or as nobody; and what every error must look like.

import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "../../src/api/errors.js";
import { REST_BASE } from "../../src/api/rest.js";
import { unzipped, ZIP_TYPE } from "./archives.js";
import { mustBeDocumented, type Seen } from "./documented.js";

/** Whoever a token stands for. */
export interface Bearer {
  token: string;
}

/** An object of an answer, when a test names no shape. */
export type Fields = Record<string, unknown>;

/** An answer: `body` is the parsed JSON, or the text itself where it is none. Of a ZIP both hold the texts of its files. */
export interface Answer<Body = Fields> {
  status: number;
  body: Body;
  headers: Record<string, string | undefined>;
  text: string;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS";

export interface RawRequest {
  method: Method;
  /** From the root: `/api/v1/...`, `/trpc/...`. */
  url: string;
  /** Sent as it is; nothing adds a content type. */
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** The shape of a body is what the test says it is: a test that is wrong about it fails where it reads. */
const shaped = <Body>(body: unknown) => body as Body;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Sends requests to an application, with a token or without. Paths of `get` to `delete` are under `/api/v1`. Every answer goes
 * through `check`, which holds it to the document unless the application is not the service.
 */
export function clientOf(app: FastifyInstance, token: string | null, check: (seen: Seen) => void = mustBeDocumented) {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };

  async function send<Body = Fields>({ method, url, body, headers }: RawRequest): Promise<Answer<Body>> {
    const response = await app.inject({
      method,
      url,
      headers: { ...authorization, ...headers },
      ...(body !== undefined && { payload: body }),
    });
    const answered = Object.entries(response.headers).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]);
    const isZip = response.headers["content-type"] === ZIP_TYPE;
    const files = isZip ? await unzipped(response.rawPayload) : null;
    const answer = {
      status: response.statusCode,
      body: shaped<Body>(files ?? parsed(response.body)),
      headers: Object.fromEntries(answered),
      text: files === null ? response.body : Object.values(files).join("\n"),
    };
    check({ method, url, ...answer });
    return answer;
  }

  const call =
    (method: Method) =>
    <Body = Fields>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send<Body>({
        method,
        url: REST_BASE + path,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      });

  return {
    get: <Body = Fields>(path: string, headers?: Record<string, string>) => call("GET")<Body>(path, undefined, headers),
    post: call("POST"),
    put: call("PUT"),
    delete: call("DELETE"),
    /** The same for a method that is known only when the test runs. */
    call,
    send,
  };
}

export type Client = ReturnType<typeof clientOf>;

/** Asserts a success and gives its body. */
export function ok<Body>(res: Answer<Body>): Body {
  expect(res.status, res.text).toBe(200);
  return res.body;
}

/** Asserts that an answer is this error: status, exactly the keys of the contract, the fixed text, and an issue at `at` if given. */
export function expectError(res: Answer<unknown>, code: ErrorCode, at?: string | (string | number)[]): void {
  expect({ status: res.status, ...Object(res.body) }, res.text).toEqual({
    status: ERRORS[code].status,
    code,
    message: ERRORS[code].message,
    issues: expect.any(Array),
  });
  expect(res.headers["content-type"]).toMatch(/^application\/json\b/);
  expectIssues(Object(res.body).issues, at);
}

/** How messages of a library begin, or what they contain. */
const OF_LIBRARY = /^(?:Too |Invalid |Unrecognized )|\b(?:expected|received)\b/;

/** Asserts that issues are of the contract's shape and in plain words, and that one is at `at` if given. */
export function expectIssues(issues: unknown, at?: string | (string | number)[]): void {
  expect(issues).toEqual(expect.any(Array));
  for (const issue of Array.isArray(issues) ? issues : []) {
    expect(issue).toEqual({ path: expect.any(Array), message: expect.any(String) });
    expect(issue.message).not.toMatch(OF_LIBRARY);
  }
  if (at !== undefined) {
    const path = typeof at === "string" ? [at] : at;
    expect(issues).toContainEqual({ path, message: expect.any(String) });
  }
}
