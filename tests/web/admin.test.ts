// The pages of instance admins, in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { anAddress, expectError, ok, testApp, unique } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, fill, heading, PASSWORD, signIn } from "./people.js";

const { as, anonymous, make, listening } = await testApp();

describe.skipIf(chromiumPath === undefined)(`the instance${NO_BROWSER}`, async () => {
  const here = await listening();

  test("an admin finds accounts, makes one that gets in by its link, promotes and disables", async () => {
    const [admin, bea] = [await make.instanceAdmin(), await make.user()];
    const { page, look, expectNoTrouble } = await openAs(admin, here);
    await button(page, admin.name).click();
    await page.getByRole("menuitem", { name: "Instance" }).click();
    await heading(page, "Instance").waitFor();
    const rows = page.getByRole("list", { name: "Accounts" }).getByRole("listitem");
    await page.getByRole("searchbox", { name: "Find by name or address" }).fill(bea.email);
    await expect.poll(() => rows.count()).toBe(1);
    await button(page, `Make admin: ${bea.name}`).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Make admin" }).click();
    await rows.getByText("Instance admin").waitFor();
    await button(page, `Disable ${bea.name}`).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click();
    await button(page, `Enable ${bea.name}`).waitFor();
    expectError(await as(bea).get("/users/me"), "UNAUTHORIZED");
    await page.getByRole("searchbox", { name: "Find by name or address" }).fill("");
    const [name, email] = [unique("Carl"), anAddress()];
    await fill(page, { Name: name, "E-mail": bea.email });
    await button(page, "Create account").click();
    await page.getByLabel("E-mail", { exact: true }).and(page.locator("[aria-invalid=true]")).waitFor();
    await fill(page, { "E-mail": email });
    await button(page, "Create account").click();
    const link = page.getByText(/^http.*\/account\/reset/);
    await link.waitFor();
    await look("admin-users");
    const theirs = await openTab((await link.textContent()) ?? "");
    await theirs.page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await button(theirs.page, "Set the password").click();
    await heading(theirs.page, "Your password is set").waitFor();
    expectNoTrouble();
    theirs.expectNoTrouble();
  });

  test("an admin reads the audit log, filtered by what happened, and the status", async () => {
    const admin = await make.instanceAdmin();
    await make.workspace({ owner: admin, name: "Audited" });
    ok(await anonymous.post("/auth/sign-in", { email: admin.email, password: admin.password }));
    const { page, look, expectNoTrouble } = await openAs(admin, `${here}/admin/audit`);
    const row = page.getByRole("row").filter({ hasText: "Audited" });
    await row.getByText("Workspace created").waitFor();
    await look("admin-audit");
    await page.getByLabel("What happened").selectOption("Signed in");
    await row.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: admin.name }).getByText("Signed in").first().waitFor();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText(/PostgreSQL \d+/).waitFor();
    await page.getByText("none waits").first().waitFor();
    await look("admin-status");
    expectNoTrouble();
  });

  test("nobody else is offered the instance", async () => {
    const { page, expectNoTrouble } = await openTab(`${here}/admin/users`);
    const bea = await make.user();
    await signIn(page, bea);
    await heading(page, "Nothing here").waitFor();
    await button(page, bea.name).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Instance" }).count()).toBe(0);
    expectNoTrouble();
  });
});
