// Sign-in, sign-up and sign-out on the page, in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { LAN_HOST, NO_BROWSER, openTab } from "./harness.js";
import { button, fill, heading, PASSWORD, signIn, signUp } from "./people.js";

const { as, make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`the page${NO_BROWSER}`, async () => {
  const here = await listening();

  test("a new person signs up and is at a first board, stays signed in after a reload, and signs out", async () => {
    const { page, look, expectNoTrouble } = await openTab(here);
    await heading(page, "Sign up").waitFor();
    expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("name");
    await look("sign-up");
    await signUp(page, "Ada Lovelace");
    await page.reload();
    await heading(page, "First steps").waitFor();
    expect(await page.title()).toBe("First steps · work-board");
    await button(page, "Ada Lovelace").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    await page.reload();
    await heading(page, "Sign in").waitFor();
    expectNoTrouble();
  });

  test("who signs in at the address of a board is at that address afterwards", async () => {
    const ada = await make.user();
    const { page, look, expectNoTrouble } = await openTab(`${here}/boards/aBcDe1234567?x=1`);
    await heading(page, "Sign in").waitFor();
    expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("email");
    await fill(page, { "E-mail": ada.email, Password: "wrong horse battery" });
    await button(page, "Sign in").click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toBe("The e-mail address or the password is wrong.");
    await look("sign-in-wrong");
    await fill(page, { Password: ada.password });
    await button(page, "Sign in").click();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/boards/aBcDe1234567");
    expectNoTrouble();
  });

  test("a sign-up that the service refuses says why at the field, and keeps what was typed", async () => {
    const ada = await make.user();
    const { page, expectNoTrouble } = await openTab(here);
    await fill(page, { Name: "Ada", "E-mail": ada.email, Password: PASSWORD });
    await button(page, "Sign up").click();
    const email = page.getByLabel("E-mail", { exact: true });
    await page.locator("input[aria-invalid=true]").waitFor();
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await email.inputValue()).toBe(ada.email);
    expectNoTrouble();
  });

  test("if somebody else signs in with the same browser, the first page is theirs, too", async () => {
    const [ada, bea] = [await make.user(), await make.user()];
    const { page, expectNoTrouble } = await openTab(here);
    // A stream would tell the first page at once that its session has ended.
    await page.route(/\/trpc\/[\w.]*stream/, (route) => route.abort());
    // The other tab tells it, too.
    await page.addInitScript("addEventListener('storage', (event) => event.stopImmediatePropagation(), true)");
    await page.reload();
    await signIn(page, ada);
    await button(page, ada.name).waitFor();
    const other = await page.context().newPage();
    await other.goto(here);
    await button(other, ada.name).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await fill(other, { "E-mail": bea.email, Password: bea.password });
    await button(other, "Sign in").click();
    await button(other, bea.name).waitFor();
    await button(page, "New workspace").click();
    await page.getByLabel("Name of the new workspace").fill("Ada's own");
    await page.keyboard.press("Enter");
    await button(page, bea.name).waitFor();
    expect(ok(await as(bea).get("/workspaces"))).toEqual([]);
    expectNoTrouble();
  });

  test("an address with letters beyond ASCII signs up, and signs in by another spelling", async () => {
    const { page, expectNoTrouble } = await openTab(here);
    const local = `jörg.${Math.random().toString(36).slice(2)}`;
    await fill(page, { Name: "Jörg", "E-mail": `${local}@bücher.example`, Password: PASSWORD });
    await button(page, "Sign up").click();
    await button(page, "Jörg").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await fill(page, { "E-mail": `${local.normalize("NFD").toUpperCase()}@BÜCHER.example`, Password: PASSWORD });
    await button(page, "Sign in").click();
    await button(page, "Jörg").waitFor();
    expectNoTrouble();
  });

  test("the dark theme stays when it was chosen", async () => {
    const { page, expectNoTrouble } = await openTab(here);
    await signUp(page, "Ada Lovelace");
    await button(page, "Ada Lovelace").click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    const background = "getComputedStyle(document.body).backgroundColor";
    const dark = await page.evaluate(background);
    await page.reload();
    await heading(page, "First steps").waitFor();
    expect(await page.evaluate(background)).toBe(dark);
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expectNoTrouble();
  });

  test("all of it works as on a LAN, by plain HTTP at a name that is not localhost", async () => {
    const { page, expectNoTrouble } = await openTab(`http://${LAN_HOST}:${new URL(here).port}/`);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    const email = await signUp(page, "Ada Lovelace");
    await button(page, "Ada Lovelace").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await fill(page, { "E-mail": email, Password: PASSWORD });
    await button(page, "Sign in").click();
    await button(page, "Ada Lovelace").waitFor();
    expectNoTrouble();
  });
});
