// The page in narrow windows and at 200 %, and its side bar.
//
// @module-tag slow

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { cardNamed, openBoard } from "./boards.js";
import { NO_BROWSER } from "./harness.js";
import { button, heading } from "./people.js";

const { as, make, listening } = await testApp();

/** A phone, and a window of 1440 × 900 at 200 %. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 720, height: 450 },
];
const LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung";

/** The controls that stay outside of the window, or below something else, wherever one scrolls. */
const OFF_SCREEN = `
  [...(document.querySelector("[role=dialog]") ?? document).querySelectorAll("a[href], button, input, select, textarea")]
    .filter((one) => one.checkVisibility({ opacityProperty: true }) && !one.closest(".Frame-skip"))
    .filter((one) => {
      one.scrollIntoView({ block: "center", inline: "center" });
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const isHit = hit !== null && (one.contains(hit) || hit.closest("label, a")?.contains(one));
      return left < -1 || right > innerWidth + 1 || !isHit;
    })
    .map((one) => one.ariaLabel ?? one.textContent)`;

/** The texts that go beyond the window, except for those that end in an ellipsis and what one scrolls to. */
const CUT_TEXTS = `
  [...document.querySelectorAll("body *")].flatMap((one) => [...one.childNodes]).filter((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    if (node.nodeType !== Node.TEXT_NODE || range.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let outer = node.parentElement; outer !== null; outer = outer.parentElement)
      if (/auto|scroll|hidden/.test(getComputedStyle(outer).overflowX)) return false;
    return true;
  }).map((node) => node.textContent)`;

/** Fails if the page scrolls sideways in one of the sizes, cuts a text off, or has a control that cannot be reached there. */
async function expectFits(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const file = `narrow-${name}-${size.width}.png`;
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, file) });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), file).toBe(0);
    expect(await page.evaluate(CUT_TEXTS), file).toEqual([]);
    expect(await page.evaluate(OFF_SCREEN), file).toEqual([]);
    await page.evaluate('for (const one of document.querySelectorAll("body *")) one.scrollTo(0, 0)');
  }
}

describe.skipIf(chromiumPath === undefined)(`narrow windows${NO_BROWSER}`, async () => {
  const here = await listening();

  test("home, a board, a card and settings fit into 360 px and a window at 200 %, and everything can be reached", async () => {
    const { owner, workspace } = await make.workspace({ name: LONG });
    const { board } = await make.board({ workspace, name: `${LONG} 2026` });
    const { list } = await make.list({ board, name: LONG });
    const { label } = await make.label({ board, name: LONG.slice(0, 40) });
    const { card } = await make.card({ list, title: LONG, dueDate: "2026-11-20", labelPublicIds: [label.publicId] });
    const member = await make.member(board, "member");
    ok(await as(owner).put(`/cards/${card.publicId}`, { description: `- ${LONG}\n\n\`${LONG}\`` }));
    ok(await as(member).post(`/cards/${card.publicId}/comments`, { comment: LONG }));
    const { page, expectNoTrouble } = await openBoard(here, owner, board);
    await cardNamed(page, LONG).waitFor();
    await expectFits(page, "board");
    await cardNamed(page, LONG).click();
    const dialog = page.getByRole("dialog", { name: LONG });
    await dialog.getByText("commented").or(dialog.getByText(member.name)).first().waitFor();
    await expectFits(page, "card");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Boards" }).last().click();
    await heading(page, "Boards").waitFor();
    await expectFits(page, "home");
    for (const section of ["", "/members", "/webhooks", "/tags"]) {
      await page.goto(`${here}/settings/workspaces/${workspace.publicId}${section}`);
      await heading(page, `Settings of ${LONG}`).waitFor();
      await expectFits(page, `settings${section.replace("/", "-")}`);
    }
    await page.goto(`${here}/settings/account`);
    await page.getByLabel("Name", { exact: true }).waitFor();
    await expectFits(page, "account");
    expectNoTrouble();
  });

  test("on a phone, an open card says its properties below its title, and leads to where they are changed", async () => {
    const { owner, board, list } = await make.list();
    const { label } = await make.label({ board, name: "Harbour" });
    const fields = { title: "Paint", dueDate: "2026-11-20", labelPublicIds: [label.publicId], priority: "urgent" };
    const { card } = await make.card({ list, ...fields });
    ok(await as(owner).put(`/cards/${card.publicId}`, { description: "A long story.\n\n".repeat(60) }));
    const { page, expectNoTrouble } = await openBoard(here, owner, board);
    await page.setViewportSize({ width: 390, height: 844 });
    await cardNamed(page, "Paint").click();
    const dialog = page.getByRole("dialog", { name: "Paint" });
    const all = dialog.getByRole("button", { name: "All properties" });
    await all.waitFor();
    const facts = all.locator("xpath=..");
    expect(await facts.textContent()).toMatch(/^Urgent priority.*Harbour/);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "card-facts.png") });
    await all.click();
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Properties");
    await button(page, "Labels").click();
    await page.getByRole("checkbox", { name: "Harbour" }).uncheck();
    await page.keyboard.press("Escape");
    await expect.poll(() => facts.textContent()).not.toContain("Harbour");
    await page.setViewportSize({ width: 1440, height: 900 });
    await all.waitFor({ state: "detached" });
    expectNoTrouble();
  });

  test("S and a button fold the side bar and unfold it, and it stays as it was left", async () => {
    const { owner, board } = await make.list();
    const { page, look, expectNoTrouble } = await openBoard(here, owner, board);
    const width = async () => (await page.getByRole("complementary").boundingBox())?.width;
    const fold = button(page, "Side bar");
    // Until one chooses, it goes by the width of the window.
    await page.setViewportSize({ width: 800, height: 900 });
    await expect.poll(width).toBe(52);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(width).toBeGreaterThan(200);
    expect(await fold.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("s");
    await expect.poll(width).toBe(52);
    await look("side-bar-folded");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await heading(page, board.name).waitFor();
    expect(await width()).toBe(52);
    await page.getByRole("link", { name: "Boards" }).click();
    await heading(page, "Boards").waitFor();
    await fold.click();
    await expect.poll(width).toBeGreaterThan(200);
    expectNoTrouble();
  });
});
