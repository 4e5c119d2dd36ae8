// The examples of the document are what the service really answers: a story is told to it, and compared with what is written down.

import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { testApp } from "../helpers/app.js";
import { startIssuer } from "../helpers/issuer.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { operations } from "../helpers/samples.js";
import { unsubscribeToken } from "../helpers/unsubscribing.js";
import { type Example, Recording } from "./examples/recording.js";
import { play } from "./examples/story.js";

const receiver = createServer((_request, response) => response.writeHead(204).end());
await once(receiver.listen(0, "127.0.0.1"), "listening");
afterAll(() => void receiver.close());
const address = receiver.address();
const port = typeof address === "object" ? address?.port : "";

const issuer = await startIssuer();
const app = await testApp({
  OIDC_PROVIDERS: JSON.stringify([issuer.provider()]),
  ...RECOVERY_ENVIRONMENT,
  PUBLIC_URL: "https://boards.example.org",
  TRELLO_APP_KEY: "0123456789abcdef",
  WEBHOOK_ALLOW_PRIVATE: "true",
});
const recording = new Recording(app, { receiver: `http://127.0.0.1:${port}/`, issuer: issuer.url });
await play(recording, (person) => unsubscribeToken(app, person));

test("every operation has an example (else: add a step to tests/api/examples/story.ts)", () => {
  expect(Object.keys(recording.examples)).toEqual(operations.map(({ path }) => path));
});

type Named = { name: string; identifier: string };

/** Every identifier in a part of an example, with the name of its field: of a list, the one of its items. */
function identifiersIn(part: unknown, name = ""): Named[] {
  if (typeof part === "string")
    return /PublicIds?$/i.test(name) ? [{ name: name.replace(/s$/, ""), identifier: part }] : [];
  if (Array.isArray(part)) return part.flatMap((item) => identifiersIn(item, name));
  return Object.entries(Object(part)).flatMap(([key, value]) => identifiersIn(value, key));
}

const answerOf = ({ answer }: Example) =>
  typeof answer === "string" && answer.startsWith("id: ") ? JSON.parse(answer.split("data: ")[1] ?? "") : answer;

const examples = Object.entries(recording.examples).map(([path, example]) => {
  const { path: inPath, query, body } = example;
  return { path, requested: identifiersIn({ ...inPath, ...query, ...body }), answer: answerOf(example) };
});

const answered = new Set(examples.flatMap(({ answer }) => identifiersIn(answer).map(({ identifier }) => identifier)));

/** Things that are outside of any workspace. */
const OUTSIDE = ["tokenPublicId", "identityPublicId", "sessionPublicId", "userPublicId"];

describe("the examples are one small world", () => {
  test.each(examples)("$path names things that some answer shows, by the identifiers of their workspace", (example) => {
    const { requested } = example;
    expect(requested.filter(({ identifier }) => !answered.has(identifier))).toEqual([]);
    const inWorkspace = requested.filter(({ name }) => !OUTSIDE.includes(name));
    expect(new Set(inWorkspace.map(({ identifier }) => identifier.slice(0, 5))).size).toBeLessThanOrEqual(1);
  });

  test.each(examples)("$path calls a thing by the same identifier in the request and in the answer", (example) => {
    const { requested, answer } = example;
    for (const { name, identifier } of identifiersIn(Array.isArray(answer) ? {} : Object(answer))) {
      const same = requested.filter((one) => one.name === name).map((one) => one.identifier);
      if (same.length > 0) expect(same, name).toContain(identifier);
    }
  });

  test("a request names a thing by one kind alone", () => {
    const kinds = new Map<string, Set<string>>();
    const requested = examples.flatMap((example) => example.requested.filter(({ name }) => name !== "publicId"));
    for (const { name, identifier } of requested) {
      kinds.set(identifier, (kinds.get(identifier) ?? new Set()).add(name));
    }
    expect([...kinds].filter(([, names]) => names.size > 1)).toEqual([]);
  });

  test("the document shows no identifier as an example but theirs", () => {
    const shown = operations
      .flatMap(({ input }) => Object.entries<z.ZodType>(input.shape))
      .flatMap(([name, schema]) => (/PublicId$/.test(name) ? (schema.meta()?.examples ?? []) : []));
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.filter((identifier) => !answered.has(String(identifier)))).toEqual([]);
  });
});

test("the service answers every example as it is written down (else: npm run examples)", async () => {
  const text = `${JSON.stringify(recording.examples, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../src/api/examples.json");
});
