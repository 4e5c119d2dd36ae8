// The way back into a workspace that has no admin who can sign in.

import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { type AdminWorkspace, grantWorkspaceAdmin, listWorkspaces } from "../../src/admin/workspaces.js";
import { readConfig } from "../../src/config.js";
import { account, auditEntry, workspace as table } from "../../src/db/schema/index.js";
import { ok, type Person, testApp } from "../helpers/app.js";

const { as, db, make } = await testApp();
const config = readConfig({});

const grant = (workspacePublicId: string, email: string) =>
  grantWorkspaceAdmin(db, config, { workspacePublicId, email });
const rolesIn = async (person: Person, workspacePublicId: string) =>
  ok(await as(person).get<{ name: string; role: string }[]>(`/workspaces/${workspacePublicId}/members`));
const notificationsOf = async (person: Person) =>
  ok(await as(person).get<{ type: string; actor: { name: string } }[]>("/notifications"));

test("a member becomes an admin, by an operator in its history, its notifications and the audit log", async () => {
  const { owner, workspace } = await make.workspace();
  const member = await make.member(workspace, "member");
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, owner.publicId));

  await grant(workspace.publicId, member.email);

  expect(await rolesIn(member, workspace.publicId)).toContainEqual(
    expect.objectContaining({ name: member.name, role: "admin" }),
  );
  const { items } = ok(
    await as(member).get<{ items: { type: string; origin: { kind: string }; actor: null }[] }>(
      `/workspaces/${workspace.publicId}/events?limit=100`,
    ),
  );
  expect(items.at(-1)).toMatchObject({ type: "member.role.changed", origin: { kind: "operator" }, actor: null });
  expect(await notificationsOf(member)).toContainEqual(
    expect.objectContaining({ type: "workspace.role.changed", actor: expect.objectContaining({ name: "Operator" }) }),
  );
  const acts = await db.select().from(auditEntry).where(eq(auditEntry.type, "member.roleChanged"));
  expect(acts).toContainEqual(
    expect.objectContaining({
      actorId: null,
      target: {
        kind: "account",
        publicId: member.publicId,
        name: member.name,
        workspacePublicId: workspace.publicId,
      },
    }),
  );
});

test("somebody who did not belong to the workspace joins it as an admin, and its admins are notified", async () => {
  const { owner, workspace } = await make.workspace();
  const person = await make.user();
  await grant(workspace.publicId, person.email);
  expect(await rolesIn(person, workspace.publicId)).toHaveLength(2);
  expect(await notificationsOf(owner)).toContainEqual(
    expect.objectContaining({ type: "workspace.member.added", actor: expect.objectContaining({ name: person.name }) }),
  );
});

test("an unknown workspace, an unknown or disabled account, and an admin are refused", async () => {
  const { owner, workspace } = await make.workspace();
  const person = await make.user();
  const refused = { code: "BAD_REQUEST" };
  await expect(grant("0".repeat(12), person.email)).rejects.toMatchObject(refused);
  await expect(grant(workspace.publicId, "nobody@example.org")).rejects.toMatchObject(refused);
  await expect(grant(workspace.publicId, owner.email)).rejects.toMatchObject(refused);
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, person.publicId));
  await expect(grant(workspace.publicId, person.email)).rejects.toMatchObject(refused);
  expect(await rolesIn(owner, workspace.publicId)).toHaveLength(1);
});

async function allListed(): Promise<AdminWorkspace[]> {
  const all: AdminWorkspace[] = [];
  for (;;) {
    const page = await listWorkspaces(db, { after: all.at(-1) ?? null, limit: 2 });
    all.push(...page);
    if (page.length < 2) return all;
  }
}

test("workspaces are listed in the order in which they were created, each once, whatever their keys are", async () => {
  const made: string[] = [];
  for (let count = 0; count < 8; count += 1) made.push((await make.workspace()).workspace.publicId);
  // Several of one moment.
  await db
    .update(table)
    .set({ createdAt: new Date().toISOString() })
    .where(inArray(table.publicId, made.slice(4)));

  const listed = (await allListed()).map(({ publicId }) => publicId);

  expect(new Set(listed).size).toBe(listed.length);
  const ours = listed.filter((publicId) => made.includes(publicId));
  expect(ours.slice(0, 4)).toEqual(made.slice(0, 4));
  expect(ours.slice(4).toSorted()).toEqual(made.slice(4).toSorted());
});

test("the list shows how many members each workspace has, and how many admins can sign in", async () => {
  const { owner, workspace } = await make.workspace();
  await make.member(workspace, "member");
  const listed = async () => {
    const all = await allListed();
    return all.find(({ publicId }) => publicId === workspace.publicId);
  };
  expect(await listed()).toMatchObject({ name: workspace.name, members: 2, admins: 1 });
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, owner.publicId));
  expect(await listed()).toMatchObject({ members: 2, admins: 0 });
});
