// The guides under `/guides`: pages for browsers, and the Markdown that they are made from.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectError, testApp } from "../helpers/app.js";

const { anonymous } = await testApp();

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const names = readdirSync(new URL("../../docs", import.meta.url)).flatMap((name) =>
  name.endsWith(".md") ? [name.slice(0, -".md".length)] : [],
);
const get = (url: string, headers = {}) => anonymous.send({ method: "GET", url, headers });

/** What a page links to and loads, as paths of this service; addresses of other hosts stay whole. */
function targetsOf(page: string, text: string): string[] {
  const base = new URL(page, "http://service.example");
  return [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) => {
    const url = new URL(target, base);
    return url.origin === base.origin ? url.href.slice(base.origin.length) : url.href;
  });
}

test("/guides lists every guide, with the files that README.md names beside them", async () => {
  const { status, headers, text } = await get("/guides");
  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
  const targets = targetsOf("/guides", text);
  expect(targets).toEqual(expect.arrayContaining(names.map((name) => `/guides/${name}`)));
  expect(targets).toEqual(expect.arrayContaining(["/guides/CHANGELOG", "/docs"]));
  expect((await get("/guides/")).headers.location).toBe("../guides");
});

describe.each(names)("the guide %s", (name) => {
  test("is a page that runs nothing, loads nothing from elsewhere, and is framed by nobody", async () => {
    const { status, headers, text } = await get(`/guides/${name}`);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(/<style|<script|<[^>]*\s(?:on\w+|style)=/);
    const [, title] = /^# (.*)$/m.exec(read(`docs/${name}.md`)) ?? [];
    expect(text).toContain(`<title>${title} · work-board</title>`);
    expect(text.match(/aria-current="page"/g)).toHaveLength(1);
  });

  test("has no link whose target or heading is not there, and none that leaves a path of a proxy", async () => {
    const { text } = await get(`/guides/${name}`);
    expect(text).not.toMatch(/(?:href|src)="\//);
    const targets = targetsOf(`/guides/${name}`, text);
    expect(targets.length).toBeGreaterThan(names.length);
    for (const target of targets) {
      if (target.startsWith("https://")) continue;
      const [path = "", anchor] = target.split("#");
      const found = await get(path);
      expect(found.status, target).toBe(200);
      if (anchor !== undefined) expect(found.text, target).toContain(`id="${anchor}"`);
    }
  });

  test("is served as Markdown, too, as it is in docs/", async () => {
    const { headers, text } = await get(`/guides/${name}.md`);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text).toBe(read(`docs/${name}.md`));
  });
});

test("what a guide links to is served: pages, and files as text", async () => {
  expect((await get("/guides/CHANGELOG")).text).toContain('<h1 id="changelog">Changelog</h1>');
  const receiver = await get("/guides/examples/webhook-receiver.ts");
  expect(receiver.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(receiver.text).toBe(read("examples/webhook-receiver.ts"));
});

test.each(["package.json", "src/app.ts", "..%2fpackage.json", "%2e%2e/package.json", "constructor", "unknown"])(
  "/guides/%s, which no guide links to, is NOT_FOUND",
  async (path) => {
    expectError(await get(`/guides/${path}`), "NOT_FOUND");
  },
);

test("a page has an ETag and is sent as gzip", async () => {
  const { headers } = await get("/guides/operations", { "accept-encoding": "gzip" });
  expect(headers["content-encoding"]).toBe("gzip");
  expect((await get("/guides/operations", { "if-none-match": headers.etag })).status).toBe(304);
});
