// Invitations by mail (capabilities section 1): who gets one, and how many.

import { eq, sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { mail } from "../../src/db/schema/index.js";
import { mailRow, NOW } from "../../src/mail/newMail.js";
import { ok, testApp, unique, type Workspace } from "../helpers/app.js";
import { MAIL, mailServer, sendMail } from "../mail/mailServer.js";

const app = await testApp(MAIL);
const { as, make, db } = app;

const newAddress = () => `${unique("to").replace(" ", ".")}@example.net`;
const to = (email: string) =>
  db.select({ kind: mail.kind, status: mail.status, data: mail.data }).from(mail).where(eq(mail.address, email));

const membersOf = ({ publicId }: Workspace) => `/workspaces/${publicId}/members`;

interface Invited {
  invited: boolean;
  mailed: boolean;
  inviteLink: string | null;
}

const invite = async ({ publicId, owner }: Workspace, email: string) =>
  ok(await as(owner).post<Invited>(`/workspaces/${publicId}/members/invite`, { email }));

test("who is invited to a workspace by address gets a mail with the link, once", async () => {
  const { workspace, owner } = await make.workspace();
  const email = newAddress();
  const { inviteLink, ...answer } = await invite(workspace, email);
  expect(answer).toMatchObject({ invited: true, mailed: true });
  const code = inviteLink?.split("/").at(-1);
  const data = { code, workspaceName: workspace.name, inviterName: owner.name };
  expect(await to(email)).toEqual([{ kind: "invitation", status: "pending", data }]);
  expect(await invite(workspace, email)).toMatchObject({ invited: false, mailed: false });
  expect(await to(email)).toHaveLength(1);
});

test("so does who is invited to a board, but not a member who is added to it", async () => {
  const { board, workspace, owner } = await make.board();
  const path = `/boards/${board.publicId}/members/invite`;
  const email = newAddress();
  expect(ok(await as(owner).post(path, { email }))).toMatchObject({ invited: true, mailed: true });
  expect(await to(email)).toHaveLength(1);
  const member = await make.member(workspace, "member");
  expect(ok(await as(owner).post(path, { email: member.email }))).toMatchObject({ invited: false, mailed: false });
  expect(await to(member.email)).toEqual([]);
});

test("beyond 5 mails to an address and 100 of a workspace within a day the invitation is made, and not mailed", async () => {
  const email = newAddress();
  for (let count = 0; count < 5; count += 1) {
    expect(await invite((await make.workspace()).workspace, email)).toMatchObject({ mailed: true });
  }
  const { workspace } = await make.workspace();
  expect(await invite(workspace, email)).toMatchObject({ invited: true, mailed: false });
  expect(await to(email)).toHaveLength(5);

  const [found] = await db.rows<{ id: number }>(sql`select id from workspace where public_id = ${workspace.publicId}`);
  const about = { kind: "invitation", accountId: null, aboutWorkspaceId: found?.id ?? 0 } as const;
  await db.insert(mail).values(Array.from({ length: 99 }, () => mailRow({ ...about, address: newAddress() }, NOW)));
  expect(await invite(workspace, newAddress())).toMatchObject({ mailed: true });
  expect(await invite(workspace, newAddress())).toMatchObject({ invited: true, mailed: false });
  await db
    .update(mail)
    .set({ createdAt: sql`now() - interval '25 hours'` })
    .where(eq(mail.aboutWorkspaceId, found?.id ?? 0));
  expect(await invite(workspace, newAddress())).toMatchObject({ mailed: true });
});

test("an invitation that was revoked before its mail was sent is not mailed", async () => {
  const { url, arrived } = await mailServer();
  const { workspace, owner } = await make.workspace();
  const [revoked, kept] = [newAddress(), newAddress()];
  await invite(workspace, revoked);
  const members = ok(await as(owner).get<{ publicId: string; email: string }[]>(membersOf(workspace)));
  const pending = members.find(({ email }) => email === revoked);
  ok(await as(owner).delete(`${membersOf(workspace)}/${pending?.publicId}`));
  await invite(workspace, kept);

  sendMail(app, url);

  await vi.waitFor(async () => expect(await to(kept)).toMatchObject([{ status: "sent" }]), { timeout: 25_000 });
  expect(await to(revoked)).toMatchObject([{ status: "dropped", data: null }]);
  expect(arrived.map(({ recipient }) => recipient)).not.toContain(revoked);
});

test("without a mail server the link is handed out by people", async () => {
  const plain = await app.another({ MAIL_URL: "", MAIL_FROM: "" });
  const { workspace, owner } = await make.workspace();
  const email = newAddress();
  const path = `/workspaces/${workspace.publicId}/members/invite`;
  expect(ok(await plain.as(owner).post(path, { email }))).toMatchObject({ invited: true, mailed: false });
  expect(await to(email)).toEqual([]);
});
