// Three people in browsers and a fourth over REST change one board at once, by actions drawn at random, and a part of the answers
// never arrives: in the end every page shows what the service has, and nothing was done twice.
//
// `CONVERGENCE_ACTIONS` says how many actions; the seed of the run repeats them.
//
// @module-tag slow

import type { Page, Route } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { boardOfThree, cardsIn, connection, openBoard, titlesIn } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button } from "./people.js";

const testing = await testApp();
const { as, make, listening } = testing;

const ACTIONS = Number(process.env.CONVERGENCE_ACTIONS ?? 60);
/** This part of the answers to changes is cut off once the change was made. */
const CUT = 0.2;
const LISTS = ["Ideas", "Next", "Done"] as const;
/** A thing that somebody else has just moved or made cannot be acted on: the action is left out. */
const PATIENCE = { timeout: 2000 };

/** Numbers from 0 to 1 that a seed repeats. */
function drawnFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe.skipIf(chromiumPath === undefined)(`several people at one board${NO_BROWSER}`, async () => {
  const here = await listening();

  test("see the same board as the service in the end, and nothing twice", {
    timeout: 120_000 + ACTIONS * 3000,
  }, async () => {
    const draw = drawnFrom(inject("seed"));
    const cut = drawnFrom(inject("seed") + 1);
    const oneOf = <T>(all: readonly T[]): T =>
      all[Math.floor(draw() * all.length)] ?? expect.fail("nothing to draw from");
    const { admin, board, list, stored } = await boardOfThree(testing);
    const other = await make.member(board, "member");
    const people: Person[] = [admin, other, await make.member(board, "member")];
    const tabs = await Promise.all(people.map((person) => openBoard(here, person, board)));
    let cuts = 0;
    const answer = async (route: Route) => {
      if (route.request().method() !== "POST" || cut() >= CUT) return route.continue();
      cuts += 1;
      await route.fetch();
      await route.abort();
    };
    for (const { page } of tabs) await page.route("**/trpc/**", answer);
    let made = 4;
    let names = 0;

    const focusCard = async (page: Page) => {
      const cards = cardsIn(page, oneOf(LISTS)).getByRole("link");
      const count = await cards.count();
      if (count === 0) return false;
      return cards
        .nth(Math.floor(draw() * count))
        .focus(PATIENCE)
        .then(
          () => true,
          () => false,
        );
    };
    const actions: ((page: Page) => Promise<void>)[] = [
      async (page) => {
        await button(page, `Add a card to ${oneOf(LISTS)}`).click();
        await page.keyboard.type(`Made ${++made}\n`);
        await page.keyboard.press("Escape");
      },
      async (page) => {
        if (await focusCard(page)) await page.keyboard.press(`Alt+${oneOf(["ArrowRight", "ArrowLeft"])}`);
      },
      async (page) => {
        if (await focusCard(page)) await page.keyboard.press(`Alt+${oneOf(["ArrowUp", "ArrowDown"])}`);
      },
      async (page) => {
        if (await focusCard(page)) await page.keyboard.press("c");
      },
      async (page) => {
        if (!(await focusCard(page))) return;
        await page.keyboard.press("e");
        await page.keyboard.type(`Named ${++names}\n`);
      },
      async () => {
        ok(await as(other).post("/cards", { listPublicId: list.publicId, title: `Made ${++made}`, index: 0 }));
      },
    ];
    for (let action = 0; action < ACTIONS; action += 1) await oneOf(actions)(oneOf(tabs).page);

    const all = async () => Object.values(await stored()).flat();
    await expect.poll(async () => (await all()).length, { timeout: 60_000 }).toBe(made);
    for (const { page, expectNoTrouble } of tabs) {
      await connection(page).getByText("Live", { exact: true }).waitFor();
      // A long list is rendered whole for the printer.
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const shown = async () =>
        Object.fromEntries(await Promise.all(LISTS.map(async (name) => [name, await titlesIn(page, name)])));
      await expect
        .poll(async () => JSON.stringify(await shown()) === JSON.stringify(await stored()), { timeout: 60_000 })
        .toBe(true);
      expectNoTrouble();
    }
    const titles = await all();
    expect(new Set(titles).size).toBe(titles.length);
    expect(cuts).toBeGreaterThan(0);
    console.log(`${ACTIONS} actions, ${cuts} answers cut: ${titles.length} cards, the same in three browsers`);
  });
});
