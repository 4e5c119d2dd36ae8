// Invitations that nobody used in time end with their pending members.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { endExpiredInvitations } from "../../src/workspace/expiry.js";
import { expectError, type Fields, ok, testApp, type Workspace } from "../helpers/app.js";
import { racingOn } from "../helpers/racing.js";
import { swept } from "../helpers/sweeping.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { overtaken } = racingOn(app);

interface Invited {
  publicId: string;
  inviteLink: string;
}

const invite = async ({ publicId, owner }: Workspace, email: string) =>
  ok(await as(owner).post<Invited>(`/workspaces/${publicId}/members/invite`, { email }));

const codeOf = ({ inviteLink }: Invited) => inviteLink.split("/").at(-1) ?? "";

const expire = ({ publicId }: Workspace, codes: string[]) =>
  db.rows(sql`
    update invite set expires_at = now() - interval '1 second'
    where workspace_id = ${workspaceOf(publicId)}::bigint and code in ${codes}`);

const membersOf = async ({ publicId, owner }: Workspace) =>
  ok(await as(owner).get<{ email: string }[]>(`/workspaces/${publicId}/members`)).map(({ email }) => email);

const eventsOf = async ({ publicId, owner }: Workspace, query = "") =>
  ok(await as(owner).get<{ items: Fields[] }>(`/workspaces/${publicId}/events?${query}`)).items;

test("an expired invitation goes with its pending member, which its boards are told of as of the service's doing; a live one stays", async () => {
  const { board, workspace } = await make.board();
  const late = await invite(workspace, "late@example.org");
  const live = await invite(workspace, "live@example.org");
  ok(await as(workspace.owner).post(`/boards/${board.publicId}/members`, { memberPublicId: late.publicId }));
  await expire(workspace, [codeOf(late)]);
  const before = (await eventsOf(workspace)).length;

  await swept(endExpiredInvitations, db);

  expect(await membersOf(workspace)).toEqual([workspace.owner.email, "live@example.org"]);
  const logged = (await eventsOf(workspace)).slice(before);
  expect(logged).toEqual([
    expect.objectContaining({
      type: "member.removed",
      actor: null,
      origin: { kind: "system" },
      data: { memberPublicId: late.publicId },
    }),
  ]);
  expect((await eventsOf(workspace, `boardPublicId=${board.publicId}`)).at(-1)).toEqual(logged[0]);
  ok(await anonymous.get(`/invites/${codeOf(live)}`));
  const again = await invite(workspace, "late@example.org");
  expect(again.publicId).not.toBe(late.publicId);
});

test("an expired link goes without an event", async () => {
  const { workspace } = await make.workspace();
  const path = `/workspaces/${workspace.publicId}/invites`;
  const { inviteCode } = ok(await as(workspace.owner).post<{ inviteCode: string }>(path));
  await expire(workspace, [inviteCode]);
  const before = await eventsOf(workspace);

  await swept(endExpiredInvitations, db);

  expect(await eventsOf(workspace)).toEqual(before);
  const left = await db.rows(sql`select from invite where workspace_id = ${workspaceOf(workspace.publicId)}::bigint`);
  expect(left).toEqual([]);
});

test("invitations of a closed account open nothing, and go with their pending members", async () => {
  const { workspace } = await make.workspace();
  const leaver = await make.member(workspace, "admin");
  const path = `/workspaces/${workspace.publicId}/members/invite`;
  const invited = ok(await as(leaver).post<Invited>(path, { email: "waiting@example.org" }));
  ok(await as(leaver).post("/users/me/delete", { password: leaver.password }));
  expectError(await anonymous.get(`/invites/${codeOf(invited)}`), "NOT_FOUND");

  await swept(endExpiredInvitations, db);

  expect(await membersOf(workspace)).toEqual([workspace.owner.email]);
});

test("many expire in batches of at most a hundred", async () => {
  const { workspace } = await make.workspace();
  const made: Invited[] = [];
  for (let n = 0; n < 150; n += 1) made.push(await invite(workspace, `late${n}@example.org`));
  await expire(workspace, made.map(codeOf));

  expect(await swept(endExpiredInvitations, db)).toEqual([100, 50]);

  expect(await membersOf(workspace)).toEqual([workspace.owner.email]);
  const removed = (await eventsOf(workspace, "limit=100&after=150")).filter(({ type }) => type === "member.removed");
  expect(removed.length).toBeGreaterThan(90);
});

test("an invitation that is renewed before its turn stays", async () => {
  const { workspace } = await make.workspace();
  const [renewed, late] = [await invite(workspace, "renewed@example.org"), await invite(workspace, "over@example.org")];
  await expire(workspace, [codeOf(renewed), codeOf(late)]);

  await overtaken(
    workspace,
    () => swept(endExpiredInvitations, db),
    () => db.rows(sql`update invite set expires_at = now() + interval '1 day' where code = ${codeOf(renewed)}::text`),
  );

  expect(await membersOf(workspace)).toEqual([workspace.owner.email, "renewed@example.org"]);
  ok(await anonymous.get(`/invites/${codeOf(renewed)}`));
});
