// Dates for readers whose own calendar is another one than the Gregorian calendar, in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs } from "./harness.js";

const testing = await testApp();
const { as, make, listening } = testing;

/** A text with Latin digits instead of Persian ones. */
const latin = (text: string | null) => (text ?? "").replace(/[۰-۹]/g, (digit) => String("۰۱۲۳۴۵۶۷۸۹".indexOf(digit)));

const THIS_YEAR = new Date().getFullYear();

describe.skipIf(chromiumPath === undefined)(`calendars${NO_BROWSER}`, async () => {
  const here = await listening();

  test.each([
    ["fa-IR", THIS_YEAR - 621],
    ["ckb-IR", THIS_YEAR - 621],
    ["th-TH", THIS_YEAR + 543],
  ])("in %s, every page writes dates by the calendar that its weeks and months have", async (locale, other) => {
    const owner = await make.instanceAdmin();
    const { workspace } = await make.workspace({ owner });
    const { board } = await make.board({ workspace });
    const { card } = await make.card({ list: (await make.list({ board })).list });
    ok(await as(owner).put(`/cards/${card.publicId}`, { dueDate: `${THIS_YEAR + 1}-05-03T10:00:00Z` }));
    const { page, expectNoTrouble } = await openAs(owner, here, { locale });
    for (const [path, role, year] of [
      [`/boards/${board.publicId}`, "main", THIS_YEAR + 1],
      [`/cards/${card.publicId}`, "dialog", THIS_YEAR + 1],
      [`/calendar/${workspace.publicId}`, "main", THIS_YEAR],
      ["/admin", "main", THIS_YEAR],
      ["/admin/audit", "main", THIS_YEAR],
    ] as const) {
      await page.goto(here + path);
      const texts = () => page.getByRole(role).textContent().then(latin);
      await expect.poll(texts, { message: path }).toContain(String(year));
      for (const wrong of [other, other + 1]) expect(await texts(), path).not.toContain(String(wrong));
    }
    expectNoTrouble();
  });
});
