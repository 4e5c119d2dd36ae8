// Invitations by address while they wait: renewed, given another role, and kept apart from the link of the workspace.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Fields, ok, testApp, type Workspace } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();

interface Listed {
  publicId: string;
  role: string;
  status: string;
  inviteLink: string | null;
}

const pathOf = ({ publicId }: Workspace) => `/workspaces/${publicId}`;
const invite = async (workspace: Workspace, email: string, role: string) =>
  ok(await as(workspace.owner).post<Listed>(`${pathOf(workspace)}/members/invite`, { email, role }));
const membersOf = async (workspace: Workspace, reader: { token: string } = workspace.owner) =>
  ok(await as(reader).get<Listed[]>(`${pathOf(workspace)}/members`));
const expire = ({ publicId }: Workspace) =>
  db.rows(sql`
    update invite set expires_at = now() - interval '1 minute' where workspace_id = ${workspaceOf(publicId)}::bigint`);
const eventsOf = async (workspace: Workspace) =>
  ok(await as(workspace.owner).get<{ items: Fields[] }>(`${pathOf(workspace)}/events?limit=100`)).items;

test("an invitation that is renewed with another role has that role, of which the log tells", async () => {
  const { workspace } = await make.workspace();
  const first = await invite(workspace, "renewed@example.org", "guest");
  await expire(workspace);
  const [, expired] = await membersOf(workspace);
  expect(expired).toMatchObject({ publicId: first.publicId, role: "guest", inviteLink: null });
  const before = (await eventsOf(workspace)).length;

  const second = await invite(workspace, "renewed@example.org", "admin");

  expect((await membersOf(workspace))[1]).toMatchObject({ role: "admin", inviteLink: second.inviteLink });
  const logged = (await eventsOf(workspace)).slice(before);
  expect(logged.map(({ type }) => type)).toEqual(["member.role.changed", "member.invited"]);
  expect(logged[0]).toMatchObject({ data: { memberPublicId: first.publicId, from: "guest", to: "admin" } });
  await expire(workspace);
  await invite(workspace, "renewed@example.org", "admin");
  expect((await eventsOf(workspace)).slice(before).map(({ type }) => type)).toEqual([
    "member.role.changed",
    "member.invited",
    "member.invited",
  ]);
});

test("a pending member has the role that it is given, and the same role once more changes nothing", async () => {
  const { workspace } = await make.workspace();
  const { publicId, inviteLink } = await invite(workspace, "pending@example.org", "guest");
  const path = `${pathOf(workspace)}/members/${publicId}/role`;
  ok(await as(workspace.owner).put(path, { role: "member" }));
  const before = await eventsOf(workspace);
  expect(ok(await as(workspace.owner).put(path, { role: "member" }))).toEqual({ publicId, role: "member" });
  expect(await eventsOf(workspace)).toEqual(before);
  const preview = await anonymous.get(`/invites/${inviteLink?.split("/").at(-1)}`);
  expect(ok(preview)).toMatchObject({ role: "member" });
});

test("an invitation is no link of the workspace, which is revoked without it", async () => {
  const { workspace } = await make.workspace();
  const { inviteLink } = await invite(workspace, "apart@example.org", "member");
  const path = `${pathOf(workspace)}/invites`;
  expect(ok(await as(workspace.owner).get(path))).toEqual({ invite: null });
  ok(await as(workspace.owner).post(path));
  ok(await as(workspace.owner).delete(path));
  ok(await anonymous.get(`/invites/${inviteLink?.split("/").at(-1)}`));
});

test("a guest who is on no board sees itself alone", async () => {
  const { workspace } = await make.workspace();
  const guest = await make.member(workspace, "guest");
  await make.member(workspace, "member");
  expect((await membersOf(workspace, guest)).map(({ publicId }) => publicId)).toEqual([guest.memberPublicId]);
});
