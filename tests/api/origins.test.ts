// What scripts of other origins may call and read: only those of configured origins.

import { describe, expect, test } from "vitest";
import { expectError, testApp } from "../helpers/app.js";

const { anonymous, another } = await testApp();

describe("scripts of other origins", async () => {
  const origin = "https://board.example.org";
  const open = await another({ CORS_ORIGIN: `${origin}, https://other.example.org` });

  test.each(["GET", "POST", "PUT", "DELETE"])("may %s from a configured origin", async (method) => {
    const res = await open.anonymous.send({
      method: "OPTIONS",
      url: "/api/v1/users/me",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization, content-type, if-match, idempotency-key, request-key",
      },
    });
    expect(res.status).toBe(204);
    expect(res.headers["access-control-allow-origin"]).toBe(origin);
    expect(res.headers["access-control-allow-methods"]?.split(/, */)).toContain(method);
    for (const name of ["authorization", "if-match", "idempotency-key", "request-key"]) {
      expect(res.headers["access-control-allow-headers"]).toContain(name);
    }
    expect(res.headers["access-control-max-age"]).toBe("7200");
  });

  test("read every header of the contract, on failures too", async () => {
    for (const path of ["/users/me", "/nothing"]) {
      const res = await open.anonymous.get(path, { origin });
      expect(res.headers["access-control-allow-origin"]).toBe(origin);
      for (const name of [
        ...["ETag", "Retry-After", "RateLimit-Limit", "X-Request-Id", "X-Access-Token", "Service-Version"],
        ...["Operation-Id", "Event-Id", "Idempotent-Replayed", "Deprecation", "Sunset"],
      ]) {
        expect(res.headers["access-control-expose-headers"]).toContain(name);
      }
    }
  });

  test("get nothing from an origin that is not configured, or where none is", async () => {
    const res = await open.anonymous.get("/users/me", { origin: "https://evil.example.org" });
    expect(res.headers["access-control-allow-origin"]).not.toBe("https://evil.example.org");
    expect(res.headers["access-control-allow-origin"]).not.toBe("*");
    expect((await anonymous.get("/users/me", { origin })).headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("OPTIONS that asks nothing is never answered in another form of error", async () => {
    const res = await open.anonymous.send({ method: "OPTIONS", url: "/api/v1/users/me" });
    if (res.status !== 204) expectError(res, "NOT_FOUND");
  });
});
