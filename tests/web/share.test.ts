// Sharing a board, in a real browser: inviting by mail and by link, people and their roles.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { anAddress, ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { RECOVERY_ENVIRONMENT } from "../helpers/recovery.js";
import { LAN_HOST, NO_BROWSER, openAs, openTab } from "./harness.js";
import { answer, button, choose, heading } from "./people.js";

const { as, make, listening, another } = await testApp(RECOVERY_ENVIRONMENT);

interface Listed {
  name: string;
  email: string | null;
  role: string;
  status: string;
}

describe.skipIf(chromiumPath === undefined)(`sharing a board${NO_BROWSER}`, async () => {
  const here = await listening();

  async function open(person: Person, board: { publicId: string; name: string }, origin = here) {
    const tab = await openAs(person, `${origin}/boards/${board.publicId}`);
    await button(tab.page, "Share").click();
    const dialog = tab.page.getByRole("dialog", { name: `Share ${board.name}` });
    await dialog.waitFor();
    return { ...tab, dialog };
  }

  const peopleOf = async (person: Person, { publicId }: { publicId: string }) =>
    ok(await as(person).get<Listed[]>(`/boards/${publicId}/members`));

  const invite = async (page: Page, emails: string, role: string) => {
    await page.getByLabel("E-mail addresses").fill(emails);
    await page.getByLabel("Role of the invited").selectOption(role);
    await button(page, "Invite").click();
  };

  test("invites several addresses by mail, and says what came of each", async () => {
    const { owner, board } = await make.list();
    const [first, second] = [anAddress(), anAddress()];
    const { page, dialog, look, expectNoTrouble } = await open(owner, board);
    await invite(page, `${first}, ${second}; nobody`, "Member");
    await dialog.getByText(`${first} is invited. The mail is on its way.`).waitFor();
    await dialog.getByText(`${second} is invited. The mail is on its way.`).waitFor();
    await dialog.getByText("nobody: ").waitFor();
    expect(await dialog.getByLabel("E-mail addresses").inputValue()).toBe("nobody");
    const invited = dialog.getByRole("listitem").filter({ hasText: first });
    await invited.getByRole("combobox", { name: `Role of ${first}` }).waitFor();
    expect(await invited.locator(".av").textContent()).toBe(first.charAt(0).toUpperCase());
    await look("share-invited");
    const people = await peopleOf(owner, board);
    expect(people.map(({ email, role, status }) => [email, role, status])).toEqual(
      expect.arrayContaining([
        [first, "member", "invited"],
        [second, "member", "invited"],
      ]),
    );
    expectNoTrouble();
  });

  test("without mail says so, and hands out a link below the page's own address by which a guest gets this board alone, as on a LAN", async () => {
    const plain = await another({ MAIL_URL: "", MAIL_FROM: "" });
    const { owner, board, workspace } = await make.list();
    ok(await as(owner).post(`/workspaces/${workspace.publicId}/boards`, { name: "Another" }));
    const origin = `http://${LAN_HOST}:${new URL(await plain.listening()).port}`;
    const { page, dialog, expectNoTrouble } = await open(owner, board, origin);
    await dialog.getByText("This server sends no mail").waitFor();
    const email = anAddress();
    await invite(page, email, "Guest of this board");
    const copy = dialog
      .getByRole("list", { name: "Invited" })
      .getByRole("button", { name: `Copy invitation of ${email}` });
    await copy.click();
    await dialog.getByRole("status").filter({ hasText: "Copied" }).first().waitFor();
    await page.getByLabel("E-mail addresses").focus();
    await page.keyboard.press("Control+V");
    const link = await page.getByLabel("E-mail addresses").inputValue();
    expect(link).toMatch(new RegExp(`^${origin}/invite/\\w{24}$`));
    const { page: theirs, expectNoTrouble: nor } = await openTab(link);
    const guest = await make.user();
    await button(theirs, "Sign in").click();
    await theirs.getByLabel("E-mail", { exact: true }).fill(guest.email);
    await theirs.getByLabel("Password", { exact: true }).fill(guest.password);
    await button(theirs, "Sign in").click();
    await heading(theirs, board.name).waitFor();
    await button(theirs, "Share").click();
    await theirs.getByRole("dialog", { name: `Share ${board.name}` }).waitFor();
    expect(await theirs.getByLabel("E-mail addresses").count()).toBe(0);
    expect(await theirs.getByLabel("Who sees the board").count()).toBe(0);
    expectNoTrouble();
    nor();
  });

  test("creates an invite link, shows it, and revokes it", async () => {
    const { owner, board, workspace } = await make.list();
    const { page, dialog, look, expectNoTrouble } = await open(owner, board);
    await button(page, "Create invite link").click();
    const link = await dialog.getByRole("textbox", { name: "Invite link" }).inputValue();
    const code = link.slice(link.lastIndexOf("/") + 1);
    expect(link).toBe(`${here}/invite/${code}`);
    ok(await as(owner).get(`/invites/${code}`));
    await look("share");
    await button(page, "Revoke").click();
    await button(page, "Create invite link").waitFor();
    const { invite: left } = ok(await as(owner).get<{ invite: unknown }>(`/workspaces/${workspace.publicId}/invites`));
    expect(left).toBeNull();
    expectNoTrouble();
  });

  test("changes roles, who is on the board and who sees it", async () => {
    const { owner, board } = await make.list();
    const bea = await make.member(board, "member");
    const { page, expectNoTrouble } = await open(owner, board);
    await choose(page, `Role of ${bea.name}`, "Guest");
    await expect
      .poll(async () => (await peopleOf(owner, board)).find(({ name }) => name === bea.name)?.role)
      .toBe("guest");
    await button(page, `Remove ${bea.name} from the board`).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(async () => (await peopleOf(owner, board)).length).toBe(1);
    await choose(page, "Add a member of the workspace", bea.name);
    await expect.poll(async () => (await peopleOf(owner, board)).length).toBe(2);
    await choose(page, "Who sees the board", "Everybody on the internet");
    await answer(page, "Make public");
    await expect
      .poll(async () => ok(await as(owner).get<{ visibility: string }>(`/boards/${board.publicId}`)).visibility)
      .toBe("public");
    expectNoTrouble();
  });

  test("offers a member nothing that only an admin may do, and a guest to leave the board", async () => {
    const { owner, board } = await make.list();
    const [bea, guest] = [await make.member(board, "member"), await make.member(board, "guest")];
    const { page, dialog, expectNoTrouble } = await open(bea, board);
    await dialog.getByLabel("Who sees the board").waitFor();
    expect(await dialog.getByLabel("E-mail addresses").count()).toBe(0);
    expect(await button(page, "Create invite link").count()).toBe(0);
    expect(await dialog.getByLabel(`Role of ${guest.name}`).count()).toBe(0);
    expect(await dialog.getByText("Everybody on the internet").count()).toBe(0);
    await button(page, "Leave the board").click();
    await page.getByText("You can still open the board").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    const theirs = await open(guest, board);
    await button(theirs.page, "Leave the board").click();
    await theirs.page.getByText("You lose access to the board until somebody adds you again.").waitFor();
    await theirs.page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
    await heading(theirs.page, "This board is not available").waitFor();
    expect((await peopleOf(owner, board)).some(({ name }) => name === guest.name)).toBe(false);
    expectNoTrouble();
    theirs.expectNoTrouble();
  });
});
