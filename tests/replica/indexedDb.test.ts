// The storage of browsers, in the tabs of a real one.

// @module-tag slow

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { chromiumPath, NO_BROWSER, openContext } from "../helpers/browser.js";

const PROGRAM = `import { indexedDb } from "./packages/client/src/board/indexedDb.ts";
  window.storage = indexedDb();
  window.count = () => Promise.all(Array.from({ length: 100 }, () => storage.update("count", (value) => (value ?? 0) + 1)));`;

/** The address of a page with the storage. */
async function address(): Promise<string> {
  const stdin = { contents: PROGRAM, resolveDir: process.cwd() };
  const { outputFiles } = await build({ stdin, bundle: true, write: false });
  const server = createServer((_req, res) =>
    res.setHeader("content-type", "text/html").end(`<script>${outputFiles[0]?.text}</script>`),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.skipIf(chromiumPath === undefined)(
  `updates that tabs make of one key at the same moment are all made, and one that throws changes nothing${NO_BROWSER}`,
  async () => {
    const [context, url] = [await openContext(), await address()];
    const tabs = await Promise.all([context.newPage(), context.newPage()]);
    for (const tab of tabs) await tab.goto(url);
    await Promise.all(tabs.map((tab) => tab.evaluate("count()")));
    const [first, second] = tabs;
    const thrown = await first?.evaluate("storage.update('count', () => { throw new Error() }).catch(() => 'thrown')");
    expect([thrown, await second?.evaluate("storage.get('count')")]).toEqual(["thrown", 200]);
  },
);
