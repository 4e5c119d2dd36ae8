// The way back into a workspace that has no admin who can sign in.

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { grantWorkspaceAdmin, listWorkspaces } from "../../src/admin/workspaces.js";
import { readConfig } from "../../src/config.js";
import { account, auditEntry } from "../../src/db/schema/index.js";
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

test("the list shows how many members each workspace has, and how many admins can sign in", async () => {
  const { owner, workspace } = await make.workspace();
  await make.member(workspace, "member");
  const listed = async () => {
    for (let after = 0; ; ) {
      const page = await listWorkspaces(db, { after, limit: 2 });
      const found = page.find(({ publicId }) => publicId === workspace.publicId);
      if (found !== undefined || page.length < 2) return found;
      after = page.at(-1)?.id ?? 0;
    }
  };
  expect(await listed()).toMatchObject({ name: workspace.name, members: 2, admins: 1 });
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, owner.publicId));
  expect(await listed()).toMatchObject({ members: 2, admins: 0 });
});
