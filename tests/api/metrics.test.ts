// Who may read `/metrics` while METRICS_TOKEN is set.

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { expectError, ok, testApp } from "../helpers/app.js";

const TOKEN = "a token of the operator";
const { anonymous } = await testApp({ METRICS_TOKEN: TOKEN });

const metrics = (authorization?: string) =>
  anonymous.send({ method: "GET", url: "/metrics", headers: authorization === undefined ? {} : { authorization } });

const REFUSED: [string, string | undefined][] = [
  ["no token", undefined],
  ["an empty one", "Bearer "],
  ["another of the same length", `Bearer ${TOKEN.replace("operator", "attacker")}`],
  ["a shorter one", `Bearer ${TOKEN.slice(0, -1)}`],
  ["a longer one", `Bearer ${TOKEN}s`],
  ["the token by itself", TOKEN],
];

test.each(REFUSED)("%s is UNAUTHORIZED", async (_name, authorization) => {
  const res = await metrics(authorization);
  expectError(res, "UNAUTHORIZED");
  expect(res.text).not.toContain("http_request_duration_seconds");
});

test("the token is answered with the metrics", async () => {
  const res = await metrics(`Bearer ${TOKEN}`);
  ok(res);
  expect(res.text).toContain("http_request_duration_seconds");
});

test("every token is compared in constant time, whatever its length", async () => {
  const compared = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  onTestFinished(() => {
    compared.mockRestore();
    syncBuiltinESMExports();
  });
  for (const [, authorization] of REFUSED) expectError(await metrics(authorization), "UNAUTHORIZED");
  ok(await metrics(`Bearer ${TOKEN}`));

  expect(compared.mock.results.map(({ value }) => value)).toEqual([...REFUSED.map(() => false), true]);
});
