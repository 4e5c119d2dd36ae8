// The examples of the document are what the service really answers: a story is told to it, and compared with what is written down.

import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { startIssuer } from "../helpers/issuer.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { operations } from "../helpers/samples.js";
import { unsubscribeToken } from "../helpers/unsubscribing.js";
import { Recording } from "./examples/recording.js";
import { tell } from "./examples/story.js";

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
await tell(recording, (person) => unsubscribeToken(app, person));

test("every operation has an example (else: add a step to tests/api/examples/story.ts)", () => {
  expect(Object.keys(recording.examples)).toEqual(operations.map(({ path }) => path));
});

test("the service answers every example as it is written down (else: npm run examples)", async () => {
  const text = `${JSON.stringify(recording.examples, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../src/api/examples.json");
});
