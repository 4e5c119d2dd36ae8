// Many tabs of one browser over HTTP/1.1, which allows six connections to a host: all are live by the stream of one of them, on
// localhost and where the address is no secure context.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { LAN_HOST, NO_BROWSER, openTab } from "./harness.js";
import { signIn } from "./people.js";

const { as, make, listening } = await testApp();
const here = await listening();
const TABS = 8;
/** Much longer than it takes, since machines of tests are busy. */
const PATIENCE = { timeout: 60_000 };

/** Eight tabs with one board, live, and somebody else who makes changes. */
async function eightTabs(origin: string) {
  const { board, list, owner } = await make.list({ name: "Ideas" });
  const other = await make.member(board, "member");
  const address = `${origin}/boards/${board.publicId}`;
  const { page: first } = await openTab(address);
  const context = first.context();
  const streamed: Page[] = [];
  context.on("request", (request) => {
    if (/trpc\/\w+\.stream/.test(request.url())) streamed.push(request.frame().page());
  });
  await signIn(first, owner);
  const pages = [first];
  while (pages.length < TABS) {
    const page = await context.newPage();
    await page.goto(address, PATIENCE);
    pages.push(page);
  }
  for (const page of pages) {
    const connection = page.getByRole("status", { name: "Connection" });
    await connection.getByText("Live", { exact: true }).waitFor(PATIENCE);
  }

  /** Waits until a change that somebody else makes shows in pages; returns the milliseconds that it took in the last one. */
  async function changeShows(title: string, inPages: readonly Page[]): Promise<number> {
    const begun = performance.now();
    ok(await as(other).post("/cards", { listPublicId: list.publicId, title }));
    await Promise.all(inPages.map((page) => page.getByRole("link", { name: title }).waitFor(PATIENCE)));
    return Math.round(performance.now() - begun);
  }
  /** The tab that opened the latest stream. */
  const holder = (): Page => streamed.at(-1) ?? expect.fail("Nobody has a stream");
  return { pages, changeShows, holder };
}

/**
 * Freezes a page: it runs nothing and hears nothing, and its connections stay open. Playwright keeps each page visible, and Chromium
 * freezes no visible page, so the debugger halts it.
 */
async function freeze(page: Page): Promise<() => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  const paused = new Promise((resolve) => session.once("Debugger.paused", resolve));
  await session.send("Debugger.enable");
  await session.send("Debugger.pause");
  await paused;
  return () => session.send("Debugger.disable");
}

describe.skipIf(chromiumPath === undefined).each([
  ["on localhost", here, true],
  ["as on a LAN", `http://${LAN_HOST}:${new URL(here).port}`, false],
])(`eight tabs %s${NO_BROWSER}`, (where, origin, isSecure) => {
  test("are live, also after the tab with the stream was closed", { timeout: 180_000 }, async () => {
    const { pages, changeShows, holder } = await eightTabs(origin);
    expect(await pages[0]?.evaluate("[isSecureContext, 'locks' in navigator]")).toEqual([isSecure, isSecure]);
    const live = await changeShows("To all", pages);
    const closed = holder();
    await closed.close();
    const others = pages.filter((page) => page !== closed);
    const after = await changeShows("After one was closed", others);
    expect(holder()).not.toBe(closed);
    console.log(`eight tabs ${where}: a change shows in all after ${live} ms, after the holder was closed ${after} ms`);
  });

  test("are live, also while the tab with the stream is frozen, which catches up", { timeout: 180_000 }, async () => {
    const { pages, changeShows, holder } = await eightTabs(origin);
    const frozen = holder();
    const thaw = await freeze(frozen);
    const others = pages.filter((page) => page !== frozen);
    const after = await changeShows("While one is frozen", others);
    expect(holder()).not.toBe(frozen);
    await thaw();
    const thawed = await changeShows("To all again", pages);
    await frozen.getByRole("link", { name: "While one is frozen" }).waitFor(PATIENCE);
    console.log(
      `eight tabs ${where}: a change shows ${after} ms after the holder was frozen, in all again ${thawed} ms`,
    );
  });
});
