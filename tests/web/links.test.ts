// What links of mails and invitations lead to (clients.md section 3), in a real browser.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { anAddress, ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { startIssuer } from "../helpers/issuer.js";
import { codeOf, linkFor, mailedToken, RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";
import { LAN_HOST, NO_BROWSER, openAs, openTab } from "./harness.js";
import { button, fill, heading } from "./people.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db, listening, another } = app;

const NEW = "another horse battery";

describe.skipIf(chromiumPath === undefined)(`a link${NO_BROWSER}`, async () => {
  const here = await listening();

  async function makeInvite() {
    const { workspace, owner } = await make.workspace({ name: "Engines" });
    const board = ok(await as(owner).post(`/workspaces/${workspace.publicId}/boards`, { name: "Steam" }));
    const { inviteCode } = ok(
      await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    return { workspace, owner, board, path: `/invite/${inviteCode}` };
  }

  test("resets a password, with a second factor, and its token leaves the address bar", async () => {
    const ada = await make.user();
    const { secret } = await switchOn(app, ada);
    const { page, look, expectNoTrouble } = await openTab(
      `${here}/account/reset#token=${await linkFor(db, ada, "passwordReset")}`,
    );
    await heading(page, "Set a new password").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("");
    await fill(page, { "New password": "short" });
    await page.keyboard.press("Enter");
    await page.locator("input[aria-invalid=true]").waitFor();
    await fill(page, { "New password": NEW });
    await page.keyboard.press("Enter");
    await page.getByLabel("Code", { exact: true }).waitFor();
    await look("reset-code");
    await page.keyboard.type(codeOf(secret, 1));
    await page.keyboard.press("Enter");
    await heading(page, "Your password is set").waitFor();
    await look("reset-done");
    expect((await anonymous.post("/auth/sign-in", { email: ada.email, password: ada.password })).status).toBe(401);
    expectNoTrouble();
  });

  test("that was used is refused in words", async () => {
    const { page, look, expectNoTrouble } = await openTab(`${here}/account/reset#token=${"A".repeat(43)}`);
    await fill(page, { "New password": NEW });
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "The link is not valid any more" }).waitFor();
    await look("reset-refused");
    expectNoTrouble();
  });

  test("to reset a password is mailed to who forgot it, from the form to sign in", async () => {
    const ada = await make.user();
    const { page, look, expectNoTrouble } = await openTab(here);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await fill(page, { "E-mail": ada.email });
    await look("reset-request");
    await button(page, "Send the link").click();
    await heading(page, "Look into your mail").waitFor();
    expect(await mailedToken(db, ada.email, "passwordReset")).toMatch(/^[\w-]+$/);
    expectNoTrouble();
  });

  test("to reset a password is not offered by a server that sends no mail, which says so", async () => {
    const plain = await (await another({ MAIL_URL: "", MAIL_FROM: "" })).listening();
    const { page, expectNoTrouble } = await openTab(`${plain}/account/reset`);
    await page.getByText("This server sends no mail.").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
    expectNoTrouble();
  });

  test("confirms an address by a button, not by being opened", async () => {
    const ada = await make.unverified();
    const token = await linkFor(db, ada, "emailVerification", ada.email);
    const { page, look, expectNoTrouble } = await openTab(`${here}/account/confirm#token=${token}`);
    await heading(page, "Confirm your e-mail address").waitFor();
    await look("confirm");
    expect(ok(await as(ada).get("/users/me")).emailVerifiedAt).toBeNull();
    await button(page, "Confirm the address").press("Enter");
    await heading(page, "The address is confirmed").waitFor();
    expect(ok(await as(ada).get("/users/me")).emailVerifiedAt).not.toBeNull();
    expectNoTrouble();
  });

  test("without its token says so, and one of nobody is refused", async () => {
    const { page, look, expectNoTrouble } = await openTab(`${here}/account/unsubscribe`);
    await heading(page, "The link is not complete").waitFor();
    await look("link-incomplete");
    const { page: whole } = await openTab(`${here}/account/unsubscribe#token=${"A".repeat(43)}`);
    await heading(whole, "Stop these mails").waitFor();
    await button(whole, "Unsubscribe").click();
    await whole.getByRole("alert").waitFor();
    expectNoTrouble();
  });

  test("of an invitation lets a stranger sign up, and leads to the board, as on a LAN", async () => {
    const { path, owner, workspace } = await makeInvite();
    const { page, look, expectNoTrouble } = await openTab(`http://${LAN_HOST}:${new URL(here).port}${path}`);
    await heading(page, "Join Engines").waitFor();
    await look("invite");
    await fill(page, { Name: "Grace Hopper", "E-mail": anAddress(), Password: NEW });
    await button(page, "Sign up").click();
    await heading(page, "Steam").waitFor();
    const people = ok(
      await as(owner).get<{ name: string; role: string }[]>(`/workspaces/${workspace.publicId}/members`),
    );
    expect(people.map(({ name, role }) => [name, role])).toContainEqual(["Grace Hopper", "member"]);
    expectNoTrouble();
  });

  test("of an invitation lets somebody sign in with a second factor, and leads to the board", async () => {
    const { path } = await makeInvite();
    const ada = await make.user();
    const { secret } = await switchOn(app, ada);
    const { page, expectNoTrouble } = await openTab(here + path);
    await button(page, "Sign in").click();
    await fill(page, { "E-mail": ada.email, Password: ada.password });
    await button(page, "Sign in").click();
    await fill(page, { Code: "000000" });
    await button(page, "Sign in").click();
    await page.getByText("The code is wrong. Each code works once.").waitFor();
    await fill(page, { Code: codeOf(secret, 1) });
    await button(page, "Sign in").click();
    await heading(page, "Steam").waitFor();
    expectNoTrouble();
  });

  test("of an invitation asks who is signed in whether to join, and changes nothing before", async () => {
    const { path } = await makeInvite();
    const ada = await make.user();
    const { page, look, expectNoTrouble } = await openAs(ada, here);
    await page.goto(here + path);
    await heading(page, "Join Engines").waitFor();
    await look("invite-signed-in");
    expect(ok(await as(ada).get("/workspaces"))).toEqual([]);
    await button(page, "Join").click();
    await heading(page, "Steam").waitFor();
    expect(ok(await as(ada).get<unknown[]>("/workspaces"))).toHaveLength(1);
    expectNoTrouble();
  });

  test("of an invitation that nobody made says so", async () => {
    const { page, look, expectNoTrouble } = await openTab(`${here}/invite/4kTq8hJ3sVbNRw6yLpDXc5nG`);
    await heading(page, "The invitation cannot be used").waitFor();
    await look("invite-unknown");
    expectNoTrouble();
  });

  test("of an invitation offers no account where sign-up is closed, one where it needs an invitation, and providers", async () => {
    const { path } = await makeInvite();
    const at = async (env: Record<string, string>) =>
      (await openTab((await (await another(env)).listening()) + path)).page;
    const closed = await at({ SIGN_UP: "closed" });
    await button(closed, "Sign in").waitFor();
    expect(await button(closed, "Sign up").count()).toBe(0);
    await button(await at({ SIGN_UP: "invited" }), "Sign up").waitFor();
    const issuer = await startIssuer();
    const providers = { OIDC_PROVIDERS: JSON.stringify([issuer.provider()]), PASSWORD_SIGN_IN: "off" };
    const passwordless = await at(providers);
    await button(passwordless, "Continue with Example").waitFor();
    expect(await passwordless.getByRole("textbox").count()).toBe(0);
  });
});
