// `useBoard` in React, in a real browser: what renders, what is read, when its stream ends, and what it says of refused changes.
//
// @module-tag slow

import { once } from "node:events";
import { createServer } from "node:http";
import { buildSync } from "esbuild";
import type { Page, Request } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openTab } from "../web/harness.js";

/** A page with a board twice, each of which can be hidden. It counts how often each component renders. */
const PAGE = `import { memo, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "./packages/client/src/client.ts";
import { followBoard } from "./packages/client/src/board/index.ts";
import { useBoard } from "./packages/client/src/react/index.ts";

const { url, token, boardPublicId } = Object.fromEntries(new URLSearchParams(location.search));
const followed = followBoard(createClient({ url, token }), boardPublicId);
globalThis.rendered = {};
globalThis.change = (path, input) => void followed.change(path, input).catch(() => {});
const count = (name) => { rendered[name] = (rendered[name] ?? 0) + 1; };

const Card = memo(({ id }) => {
  const title = useBoard(followed, ({ board }) => board.cards[id]?.title);
  count(title);
  return <li>{title}</li>;
});
const List = memo(({ publicId }) => {
  const { name, cardIds } = useBoard(followed, ({ board }) => board.lists.find((list) => list.publicId === publicId));
  count(name);
  return <ul aria-label={name}>{cardIds.map((id) => <Card key={id} id={id} />)}</ul>;
});
function Refused() {
  const refused = useBoard(followed, (state) => state.refused);
  return refused.map(({ key, code, input }) =>
    <button key={key} onClick={() => followed.dismiss(key)}>{code + ": " + input.title}</button>);
}
function Board() {
  const status = useBoard(followed, (state) => state.status);
  const lists = useBoard(followed, ({ board }) => board?.lists.map(({ publicId }) => publicId).join());
  count("board");
  return <><output>{status}</output>{lists?.split(",").map((id) => <List key={id} publicId={id} />)}<Refused /></>;
}
function Part({ name }) {
  const [isShown, show] = useState(name === "first");
  return <section aria-label={name}><button onClick={() => show(!isShown)}>toggle</button>{isShown && <Board />}</section>;
}
createRoot(document.querySelector("main")).render(<><Part name="first" /><Part name="second" /></>);
`;

const bundle = buildSync({
  stdin: { contents: PAGE, resolveDir: ".", loader: "tsx" },
  bundle: true,
  format: "esm",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
});
const script = bundle.outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "";
const site = createServer((_request, response) => {
  response.setHeader("content-type", "text/html");
  response.end(`<!doctype html><meta charset="utf-8"><main></main><script type="module">${script}</script>`);
});
await once(site.listen(0, "127.0.0.1"), "listening");
afterAll(() => void site.close());
const address = site.address();
const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

const { as, make, listening } = await testApp({ CORS_ORIGIN: origin });
const url = await listening();

/** A board with three cards on two lists in the page, live, and what the page does. */
async function scene() {
  const { board, list, owner } = await make.list({ name: "Ideas" });
  const { list: done } = await make.list({ board, name: "Done" });
  const [one, two] = [await make.card({ list, title: "One" }), await make.card({ list, title: "Two" })];
  await make.card({ list: done, title: "Three" });
  const query = new URLSearchParams({ url, token: owner.token, boardPublicId: board.publicId });
  const tab = await openTab(`${origin}/?${query}`, url);
  const { page } = tab;
  const asked: string[] = [];
  const streams = new Set<Request>();
  page.on("request", (request) => {
    const [, procedure = ""] = /\/trpc\/([\w.,]+)/.exec(request.url()) ?? [];
    asked.push(procedure);
    if (procedure === "board.stream") streams.add(request);
  });
  const ended = (request: Request) => void streams.delete(request);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  await page.reload();
  await expectStatus(page, "first", "live");
  const rename = async (title: string) => ok(await as(owner).put(`/cards/${one.card.publicId}`, { title }));
  return { owner, list, done, one: one.card, two: two.card, tab, page, asked, streams, rename };
}

const part = (page: Page, name: string) => page.getByRole("region", { name });
const expectStatus = (page: Page, name: string, status: string) =>
  part(page, name).getByRole("status").getByText(status, { exact: true }).waitFor();
const titles = (page: Page, list: string) =>
  part(page, "first").getByRole("list", { name: list }).getByRole("listitem").allTextContents();
const toggle = (page: Page, name: string) => part(page, name).getByRole("button", { name: "toggle" }).click();
const change = (page: Page, path: string, input: object) =>
  page.evaluate(`change(${JSON.stringify(path)}, ${JSON.stringify(input)})`);

/** How often each component rendered while something was done. */
async function renderedBy(page: Page, run: () => Promise<unknown>): Promise<unknown> {
  await page.evaluate("void (rendered = {})");
  await run();
  return page.evaluate("rendered");
}

describe.skipIf(chromiumPath === undefined)(`useBoard${NO_BROWSER}`, () => {
  test("renders what selects a changed part, once, and nothing else: changes of others, and own ones", async () => {
    const { owner, done, one, two, tab, page, rename } = await scene();

    const byOther = await renderedBy(page, async () => {
      await rename("Uno");
      await expect.poll(() => titles(page, "Ideas")).toEqual(["Uno", "Two"]);
    });
    expect(byOther).toEqual({ Uno: 1 });

    const byMove = await renderedBy(page, async () => {
      ok(await as(owner).put(`/cards/${one.publicId}`, { listPublicId: done.publicId, index: 0 }));
      await expect.poll(() => titles(page, "Done")).toEqual(["Uno", "Three"]);
    });
    expect(byMove).toEqual({ Ideas: 1, Done: 1, Uno: 1 });

    const byOwn = await renderedBy(page, async () => {
      const confirmed = page.waitForResponse(/card\.update/);
      await change(page, "card.update", { cardPublicId: two.publicId, title: "Dos" });
      expect(await titles(page, "Ideas")).toEqual(["Dos"]);
      await (await confirmed).finished();
      await rename("Un");
      await expect.poll(() => titles(page, "Done")).toEqual(["Un", "Three"]);
    });
    expect(byOwn).toEqual({ Dos: 1, Un: 1 });
    tab.expectNoTrouble();
  });

  test("reads the board once, whatever is changed and by whom, and has one stream for all components", async () => {
    const { list, two, page, asked, streams, rename } = await scene();
    await toggle(page, "second");
    await expectStatus(page, "second", "live");
    await rename("Uno");
    await change(page, "card.update", { cardPublicId: two.publicId, title: "Dos" });
    await change(page, "card.create", { listPublicId: list.publicId, title: "New" });
    await expect.poll(() => titles(page, "Ideas")).toEqual(["Uno", "Dos", "New"]);
    await expect.poll(() => asked.filter((one) => one === "card.create")).toHaveLength(1);
    await rename("Un");
    await expect.poll(() => titles(page, "Ideas")).toEqual(["Un", "Dos", "New"]);
    expect(asked.filter((procedure) => procedure.startsWith("board.")).sort()).toEqual(["board.get", "board.stream"]);
    expect(streams.size).toBe(1);
  });

  test("ends its stream some seconds after the last component is gone, and goes on behind it with the next one", async () => {
    const { page, asked, streams, rename } = await scene();
    await toggle(page, "second");
    await toggle(page, "first");
    await page.waitForTimeout(6000);
    expect(streams.size).toBe(1);

    await toggle(page, "second");
    await page.waitForTimeout(3000);
    expect(streams.size).toBe(1);
    await expect.poll(() => streams.size, { timeout: 5000 }).toBe(0);

    await rename("Meanwhile");
    await toggle(page, "first");
    await expect.poll(() => titles(page, "Ideas")).toEqual(["Meanwhile", "Two"]);
    await expectStatus(page, "first", "live");
    expect(streams.size).toBe(1);
    expect(asked.filter((procedure) => procedure === "board.get")).toHaveLength(1);
  });

  test("shows a change at once, takes a refused one back, and says so until it is dismissed", async () => {
    const { one, page, asked } = await scene();
    const title = "x".repeat(3000);
    await change(page, "card.update", { cardPublicId: one.publicId, title });
    const refusal = part(page, "first").getByRole("button", { name: `BAD_REQUEST: ${title}` });
    await refusal.waitFor();
    expect(asked).toContain("card.update");
    expect(await titles(page, "Ideas")).toEqual(["One", "Two"]);
    await refusal.click();
    await expect.poll(() => refusal.count()).toBe(0);
  });
});
