// The settings of one's account, in a real browser.
//
// @module-tag slow

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { account } from "../../src/db/schema/index.js";
import { anAddress, expectError, ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { codeOf, mailsTo, RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, fill, heading, PASSWORD, signUp } from "./people.js";

const { as, anonymous, db, make, listening, another } = await testApp(RECOVERY_ENVIRONMENT);

describe.skipIf(chromiumPath === undefined)(`the account${NO_BROWSER}`, async () => {
  const here = await listening();
  async function open(section: string, origin = here) {
    const ada = await make.user();
    const tab = await openAs(ada, `${origin}/settings/account/${section}`);
    return { ...tab, ada };
  }

  test("its menu leads to the profile: the name changes everywhere, and a new address gets a link", async () => {
    const { page, look, expectNoTrouble } = await openTab(here);
    const address = await signUp(page, "Ada Lovelace");
    await button(page, "Ada Lovelace").click();
    await page.getByRole("menuitem", { name: "Settings" }).click();
    await heading(page, "Account").waitFor();
    await fill(page, { Name: "Ada King" });
    await button(page, "Save").click();
    await button(page, "Ada King").waitFor();
    await button(page, "Send a link to confirm it").click();
    await page.getByText("A link is on its way.").waitFor();
    expect(await mailsTo(db, address, "emailVerification")).toHaveLength(1);
    const next = anAddress();
    await fill(page, { "New address": next, "Current password": "wrong horse battery" });
    await button(page, "Change the address").click();
    await page.getByText("Is not the current password").waitFor();
    await fill(page, { "Current password": PASSWORD });
    await button(page, "Change the address").click();
    await page.getByText(`${next} becomes your address`).waitFor();
    await look("account-profile");
    const [stored] = await db
      .select({ name: account.name, pending: account.pendingEmail, timeZone: account.timeZone })
      .from(account)
      .where(eq(account.email, address));
    expect(stored).toEqual({ name: "Ada King", pending: next, timeZone: "Europe/Berlin" });
    expectNoTrouble();
  });

  test("a browser whose first try to set the time zone fails tries again", async () => {
    const { page } = await openTab(here);
    await page.route(/notificationSettings/, (route) => route.abort());
    const tried = page.waitForRequest(/notificationSettings/);
    const address = await signUp(page, "Ada Lovelace");
    await tried;
    await page.unrouteAll();
    await page.reload();
    const zones = () => db.select({ zone: account.timeZone }).from(account).where(eq(account.email, address));
    await expect.poll(zones).toEqual([{ zone: "Europe/Berlin" }]);
  });

  test("the password changes, other sessions are listed and ended, and a second factor is switched on and off", async () => {
    const { page, ada, look, expectNoTrouble } = await open("security");
    const other = ok(
      await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email: ada.email, password: ada.password }),
    );
    await page.reload();
    const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await expect.poll(() => sessions.count()).toBe(2);
    await button(page, "End all other sessions").click();
    await expect.poll(() => sessions.count()).toBe(1);
    expectError(await as({ token: other.accessToken }).get("/users/me"), "UNAUTHORIZED");

    const password = page.getByRole("region", { name: "Password" });
    await password.getByLabel("Current password").fill(ada.password);
    await password.getByLabel("New password").fill("short");
    await button(page, "Change the password").click();
    await expect.poll(() => password.getByLabel("New password").getAttribute("aria-invalid")).toBe("true");
    await password.getByLabel("New password").fill(PASSWORD);
    await button(page, "Change the password").click();
    await password.getByRole("status").getByText("Saved").waitFor();

    const factor = page.getByRole("region", { name: "Two-factor authentication" });
    await factor.getByLabel("Current password").fill(PASSWORD);
    await button(page, "Set up").click();
    const secret = (await factor.locator("code").textContent()) ?? "";
    expect(await factor.getByRole("link").getAttribute("href")).toContain(`secret=${secret}`);
    await look("account-security");
    await factor.getByLabel("Code").fill("000000");
    await button(page, "Switch on").click();
    await expect.poll(() => factor.getByLabel("Code").getAttribute("aria-invalid")).toBe("true");
    await factor.getByLabel("Code").fill(codeOf(secret));
    await button(page, "Switch on").click();
    const codes = factor.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await expect.poll(() => codes.count()).toBe(10);
    await page.setViewportSize({ width: 390, height: 844 });
    const heights = await codes.evaluateAll((all) => all.map((one) => Number(Reflect.get(one, "offsetHeight"))));
    expect(Math.max(...heights)).toBeLessThan(30);
    const [code = ""] = await codes.allTextContents();
    await button(page, "Switch off").waitFor();
    await page.reload();
    await button(page, "Switch off").waitFor();
    expect(await codes.count()).toBe(0);
    await factor.getByLabel("Current password").fill(PASSWORD);
    await factor.getByLabel("Code").last().fill(code);
    await button(page, "Switch off").click();
    await button(page, "Set up").waitFor();
    expectNoTrouble();
  });

  test("a token is made with scope, workspace and end, shown once, and revoked", async () => {
    const { page, ada, look, expectNoTrouble } = await open("tokens");
    await fill(page, { Name: "Nightly report" });
    await page.getByLabel("Ends").selectOption("In 90 days");
    await button(page, "Make the token").click();
    const token = (await page.getByRole("status").locator("code").textContent()) ?? "";
    ok(await as({ token }).get("/users/me"));
    await look("account-tokens");
    await page.reload();
    const listed = page.getByRole("list", { name: "Personal tokens" });
    await listed.getByText("Nightly report").waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    const [made] = ok(await as(ada).get<{ scope: string; expiresAt: string }[]>("/tokens"));
    expect(made?.scope).toBe("read");
    expect(Date.parse(made?.expiresAt ?? "")).toBeGreaterThan(Date.now());
    await button(page, "Revoke Nightly report").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No token yet.").waitFor();
    expectError(await as({ token }).get("/users/me"), "UNAUTHORIZED");
    expectNoTrouble();
  });

  test("reminders, mail, the theme and keys are set, and stay", async () => {
    const { page, ada, look, expectNoTrouble } = await open("notifications");
    await page.getByLabel("Somebody mentions me").selectOption("No mail");
    await page.getByLabel("Remind me of due cards").selectOption("1 hour before");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await button(page, "Save").click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await look("account-notifications");
    expect(ok(await as(ada).get("/users/me/notification-settings"))).toMatchObject({
      timeZone: "Asia/Tokyo",
      dueMinutes: 60,
      email: { mention: "off" },
    });
    await page.getByLabel("Remind me of due cards").selectOption("Never");
    await button(page, "Save").click();
    await expect
      .poll(async () => ok(await as(ada).get("/users/me/notification-settings")))
      .toMatchObject({ dueMinutes: null });
    await page.getByRole("link", { name: "This browser" }).click();
    await page.getByLabel("Dark").check();
    await page.getByRole("checkbox", { name: "Keys without Ctrl act anywhere" }).uncheck();
    await look("account-browser");
    await page.reload();
    expect(await page.getByLabel("Dark").isChecked()).toBe(true);
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expectNoTrouble();
  });

  test("a time zone and a reminder that were chosen elsewhere stay, whatever else is saved", async () => {
    const ada = await make.user();
    const chosen = { timeZone: "Asia/Tokyo", dueMinutes: 45 };
    ok(await as(ada).put("/users/me/notification-settings", chosen));
    const { page, expectNoTrouble } = await openAs(ada, `${here}/settings/account/notifications`);
    await page.getByLabel("Somebody mentions me").selectOption("No mail");
    await button(page, "Save").click();
    await page.getByRole("status").getByText("Saved").waitFor();
    expect(ok(await as(ada).get("/users/me/notification-settings"))).toMatchObject({
      ...chosen,
      email: { mention: "off" },
    });
    expectNoTrouble();
  });

  test("what is stored about one is downloaded, and the account is closed after it was asked for", async () => {
    const { page, ada, look, expectNoTrouble } = await open("data");
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect((await downloading).suggestedFilename()).toBe("work-board-export.zip");
    await look("account-data");
    const close = async (password: string) => {
      await fill(page, { "Current password": password });
      await button(page, "Close the account").click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Close the account" }).click();
    };
    await close("wrong horse battery");
    await page.getByRole("alertdialog").getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await close(ada.password);
    await button(page, "Sign in").waitFor();
    const [gone] = await db
      .select({ deletedAt: account.deletedAt })
      .from(account)
      .where(eq(account.publicId, ada.publicId));
    expect(gone?.deletedAt).not.toBeNull();
    expectNoTrouble();
  });

  test("what the operator has switched off is not offered", async () => {
    const plain = await another({ MAIL_URL: "", MAIL_FROM: "", SECRET_KEY: "" });
    const { page, expectNoTrouble } = await open("profile", await plain.listening());
    await page.getByLabel("Name", { exact: true }).waitFor();
    expect(await page.getByLabel("New address").count()).toBe(0);
    await page.getByRole("link", { name: "Security" }).click();
    await button(page, "Change the password").waitFor();
    expect(await page.getByRole("region").evaluateAll((all) => all.length)).toBe(2);
    await page.getByRole("link", { name: "Reminders and mail" }).click();
    await page.getByText("This server sends no mail.").waitFor();
    expectNoTrouble();
  });
});
