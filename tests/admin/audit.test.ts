// What the audit log tells of acts in workspaces, and what it never holds.

import { expect, test } from "vitest";
import { auditEntry } from "../../src/db/schema/index.js";
import { ok, testApp, unique } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();
const admin = await make.instanceAdmin();

interface Entry {
  type: string;
  actor: { publicId: string } | null;
  target: { kind: string; publicId?: string; name?: string; workspacePublicId?: string };
  address: string | null;
}

async function actsOf({ publicId }: { publicId: string }) {
  const path = `/admin/audit?actorPublicId=${publicId}&limit=100`;
  const { items } = ok(await as(admin).get<{ items: Entry[] }>(path));
  return items.reverse().filter(({ type }) => type !== "account.signedUp");
}

const briefly = (entries: readonly Entry[]) => entries.map(({ type, target }) => [type, target.kind, target.name]);

test("roles, invitations and people who join and leave are told of with the person or address, and the workspace", async () => {
  const { owner, workspace } = await make.workspace();
  const person = await make.user();
  const joiner = await make.user();
  const email = `${unique("pending").replace(" ", ".")}@example.org`;
  const at = `/workspaces/${workspace.publicId}`;

  const invited = ok(
    await as(owner).post<{ publicId: string; inviteLink: string }>(`${at}/members/invite`, { email: person.email }),
  );
  const inviteCode = invited.inviteLink.split("/").at(-1);
  ok(await as(person).post("/invites/accept", { inviteCode }));
  ok(await as(owner).put(`${at}/members/${invited.publicId}/role`, { role: "admin" }));
  const link = ok(await as(owner).post<{ inviteCode: string }>(`${at}/invites`, {}));
  ok(await as(joiner).post("/invites/accept", { inviteCode: link.inviteCode }));
  const pending = ok(await as(owner).post<{ publicId: string }>(`${at}/members/invite`, { email }));
  ok(await as(owner).delete(`${at}/members/${pending.publicId}`));
  ok(await as(owner).delete(`${at}/invites`));
  ok(await as(owner).delete(`${at}/members/${invited.publicId}`));

  const acts = await actsOf(owner);
  expect(briefly(acts)).toEqual([
    ["workspace.created", "workspace", workspace.name],
    ["member.invited", "address", person.email],
    ["member.roleChanged", "account", person.name],
    ["invite.created", "workspace", workspace.name],
    ["member.invited", "address", email],
    ["member.removed", "address", email],
    ["invite.revoked", "workspace", workspace.name],
    ["member.removed", "account", person.name],
  ]);
  expect(briefly(await actsOf(person))).toEqual([["member.joined", "account", person.name]]);
  expect(briefly(await actsOf(joiner))).toEqual([["member.joined", "account", joiner.name]]);
  for (const { target, address } of acts) {
    expect([target.workspacePublicId, target.publicId]).toContain(workspace.publicId);
    expect(address).toBe("127.0.0.1");
  }
});

test("webhooks and exports of boards are told of", async () => {
  const { owner, workspace, board } = await make.board();
  const hooks = `/workspaces/${workspace.publicId}/webhooks`;
  const body = { name: "CI", url: "https://hooks.example.com/1", events: ["*"] };
  const { publicId } = ok(await as(owner).post<{ publicId: string }>(hooks, body));
  ok(await as(owner).put(`${hooks}/${publicId}`, { active: false }));
  ok(await as(owner).post(`${hooks}/${publicId}/rotate-secret`, {}));
  ok(await as(owner).delete(`${hooks}/${publicId}`));
  ok(await as(owner).get(`/boards/${board.publicId}/export`));
  expect(briefly(await actsOf(owner))).toEqual([
    ["workspace.created", "workspace", workspace.name],
    ["webhook.created", "webhook", "CI"],
    ["webhook.updated", "webhook", "CI"],
    ["webhook.updated", "webhook", "CI"],
    ["webhook.deleted", "webhook", "CI"],
    ["board.exported", "workspace", undefined],
  ]);
});

test("a change that is refused leaves no entry", async () => {
  const { owner, workspace } = await make.workspace();
  const member = await make.member(workspace, "member");
  await as(member).put(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`, { role: "admin" });
  await as(owner).delete(`/workspaces/${workspace.publicId}/members/${"0".repeat(12)}`);
  const acts = [...(await actsOf(member)), ...(await actsOf(owner))];
  expect(briefly(acts)).toEqual([["workspace.created", "workspace", workspace.name]]);
});

test("no entry holds a password, a token, an invite code, a webhook's secret or its URL", async () => {
  const secrets: string[] = [];
  const { owner, workspace } = await make.workspace();
  const password = "a password for the log";
  const email = `${unique("secret").replace(" ", ".")}@example.org`;
  const signedUp = ok(await anonymous.post<{ accessToken: string }>("/auth/sign-up", { name: "Ada", email, password }));
  await anonymous.post("/auth/sign-in", { email, password: "a password that is wrong" });
  const token = ok(
    await as({ token: signedUp.accessToken }).post<{ token: string }>("/tokens", { name: "CI", scope: "write" }),
  );
  const link = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`, {}));
  const url = "https://hooks.example.com/path-with-a-key";
  const hook = ok(
    await as(owner).post<{ secret: string }>(`/workspaces/${workspace.publicId}/webhooks`, {
      name: "CI",
      url,
      events: ["*"],
    }),
  );
  secrets.push(
    password,
    "a password that is wrong",
    signedUp.accessToken,
    token.token,
    link.inviteCode,
    hook.secret,
    url,
  );
  const text = JSON.stringify(await db.select().from(auditEntry));
  expect(text).toContain("webhook.created");
  for (const secret of secrets) expect(text).not.toContain(secret);
});
