// The order in which a request is checked: its token, then its body and input, then what they name.

import { describe, expect, test } from "vitest";
import { expectError, testApp } from "../helpers/app.js";
import { exchange } from "../helpers/sockets.js";

const { as, anonymous, make, listening } = await testApp();
const ada = await make.user();

const MIB = 1024 * 1024;

describe("the order of checks", () => {
  const broken = '{"name":';

  test("without a token, or with a wrong one, a broken, foreign or wrong body is UNAUTHORIZED", async () => {
    for (const authorization of [undefined, `Bearer wb_${"A".repeat(43)}`]) {
      for (const [body, type] of [
        [broken, "application/json"],
        ["[]", "application/json"],
        ['{"unknown":1}', "application/json"],
        ["name=a", "text/plain"],
        ["a".repeat(2 * MIB), "application/json"],
      ] as const) {
        const res = await anonymous.send({
          method: "POST",
          url: "/api/v1/tokens",
          body,
          headers: { "content-type": type, ...(authorization && { authorization }) },
        });
        expectError(res, "UNAUTHORIZED");
        const overTrpc = await anonymous.send<{ error: { data: unknown } }>({
          method: "POST",
          url: "/trpc/user.tokens.create",
          body,
          headers: { "content-type": type, ...(authorization && { authorization }) },
        });
        expect(overTrpc.status, overTrpc.text).toBe(401);
        expect(overTrpc.body.error.data).toEqual({ code: "UNAUTHORIZED", httpStatus: 401, issues: [] });
      }
    }
  });

  test("without a token a huge body is UNAUTHORIZED before any of it came", async () => {
    const base = await listening();
    for (const path of ["/api/v1/tokens", "/trpc/user.tokens.create"]) {
      const res = await exchange(
        base,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000000\r\n\r\n`,
      );
      expect(res.status).toBe(401);
    }
  });

  test("wrong input is BAD_REQUEST before what it names is looked for", async () => {
    const { publicId } = ada;
    expectError(await as(ada).delete("/tokens/short"), "BAD_REQUEST", "tokenPublicId");
    expectError(await as(ada).delete(`/tokens/${publicId}`, { extra: 1 }), "BAD_REQUEST", "extra");
    expectError(await as(ada).delete(`/tokens/${publicId}`), "NOT_FOUND");
    const token = { name: "", scope: "read", workspacePublicId: "unknownunknown" };
    expectError(await as(ada).post("/tokens", token), "BAD_REQUEST", "name");
    expectError(await as(ada).post("/tokens", { ...token, name: "a" }), "FORBIDDEN");
  });

  test("an unknown path is NOT_FOUND with and without a token, whatever its body", async () => {
    for (const client of [anonymous, as(ada)]) {
      for (const body of [broken, "a".repeat(2 * MIB)]) {
        const res = await client.send({
          method: "POST",
          url: "/api/v1/nothing",
          body,
          headers: { "content-type": "application/json" },
        });
        expectError(res, "NOT_FOUND");
      }
    }
  });
});
