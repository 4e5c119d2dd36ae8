// The page over HTTP (clients.md section 3): the addresses that are its own, and the headers of its files.

import { describe, expect, test } from "vitest";
import { expectError, testApp } from "../helpers/app.js";

const { app, anonymous, another, listening } = await testApp();

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/** What links of mails and of invitations lead to. */
const OF_LINKS = ["/account/reset", "/account/confirm", "/account/unsubscribe", "/invite/4kTq8hJ3sVbNRw6yLpDXc5nG"];
const get = (url: string, accept?: string) =>
  anonymous.send({ method: "GET", url, headers: accept === undefined ? {} : { accept } });

/** The files that index.html loads. */
async function assets(): Promise<string[]> {
  const { text } = await get("/", BROWSER);
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
}

describe("a route of the page", () => {
  test.each([
    "/",
    "/boards/aBcDe1234567",
    "/cards/aBcDe1234567?x=1",
    "/settings/profile",
    "/callback?code=a.b",
    ...OF_LINKS,
  ])(
    "GET %s is index.html, which runs nothing inline, loads nothing from elsewhere, and is not indexed",
    async (url) => {
      const { status, headers, text } = await get(url, BROWSER);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-cache");
      expect(headers["x-robots-tag"]).toBe("noindex");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(text).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|style=/);
    },
  );

  test("HEAD has the same headers and no body; who has the page gets 304", async () => {
    const known = await get("/boards/aBcDe1234567", BROWSER);
    const address = `${await listening()}/boards/aBcDe1234567`;
    const head = await fetch(address, { method: "HEAD", headers: { accept: BROWSER } });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: "" });
    expect(head.headers.get("etag")).toBe(known.headers.etag);
    const headers = { accept: BROWSER, "if-none-match": known.headers.etag ?? "" };
    expect((await anonymous.send({ method: "GET", url: "/boards/aBcDe1234567", headers })).status).toBe(304);
  });

  test("a public board may be indexed", async () => {
    const { status, headers } = await get("/public/boards/aBcDe1234567", BROWSER);
    expect({ status, robots: headers["x-robots-tag"] }).toEqual({ status: 200, robots: undefined });
  });

  test.each(["*/*", "text/*;q=0.5", "application/json, text/html;q=0.1"])("Accept: %s takes it", async (accept) => {
    expect((await get("/boards/aBcDe1234567", accept)).status).toBe(200);
  });
});

describe("NOT_FOUND as JSON", () => {
  test.each(["application/json", "text/html;q=0, application/json", "text/plain"])("for Accept: %s", async (accept) => {
    expectError(await get("/boards/aBcDe1234567", accept), "NOT_FOUND");
  });

  test("without Accept", async () => {
    expectError(await get("/boards/aBcDe1234567"), "NOT_FOUND");
  });

  test.each([
    ...["/api", "/api/v1/nothing", "/trpc", "/guides/nothing", "/docs/nothing", "/feeds/x", "/mcp", "/assets"],
    ...["/assets/x", "/assets/index.js", "/assets/a/b", "/health/x", "/ready/x", "/metrics/x", "/.well-known/x"],
    ...["/openapi.json/x", "/llms.txt/x", "/favicon.png", "/boards/x.png"],
    ...["/%61pi/v1/nothing", "/api%2Fv1/nothing", "/%2Fapi/v1/nothing", "/%74rpc", "/%61ssets/x", "/boards/x%2Epng"],
  ])("for %s, even in a browser", async (url) => {
    expectError(await get(url, BROWSER), "NOT_FOUND");
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"] as const)("for %s", async (method) => {
    expectError(
      await anonymous.send({ method, url: "/boards/aBcDe1234567", headers: { accept: BROWSER } }),
      "NOT_FOUND",
    );
  });
});

describe("an asset", () => {
  test("is immutable, and has a type and the headers of every answer", async () => {
    const all = await assets();
    expect(all.length).toBeGreaterThan(2);
    for (const url of all) {
      const { status, headers } = await get(url);
      expect({ url, status }).toEqual({ url, status: 200 });
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(headers["content-type"]).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  test.each([
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", undefined],
  ])("is sent to a client that takes %s as %s", async (accepted, encoding) => {
    const url = (await assets()).find((asset) => asset.endsWith(".js")) ?? "";
    const plain = await app.inject({ url });
    const encoded = await app.inject({ url, headers: { "accept-encoding": accepted } });
    expect(encoded.headers["content-encoding"]).toBe(encoding);
    expect(encoded.headers.vary).toBe("Accept-Encoding");
    if (encoding !== undefined) expect(encoded.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  });
});

test("with WEB=off there is no page: / leads to the reference, and its routes are NOT_FOUND", async () => {
  const off = await another({ WEB: "off" });
  const headers = { accept: BROWSER };
  const root = await off.anonymous.send({ method: "GET", url: "/", headers });
  expect({ status: root.status, location: root.headers.location }).toEqual({ status: 302, location: "/docs" });
  for (const url of ["/boards/aBcDe1234567", ...OF_LINKS, ...(await assets())]) {
    expectError(await off.anonymous.send({ method: "GET", url, headers }), "NOT_FOUND");
  }
});
