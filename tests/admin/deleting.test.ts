// Accounts that an operator deletes by command: they end as those that their owners close.

import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { deletePerson } from "../../src/admin/deleting.js";
import { readConfig } from "../../src/config.js";
import { account, auditEntry } from "../../src/db/schema/index.js";
import { contentsOf, expectError, ok, type Person, testApp } from "../helpers/app.js";

const { as, anonymous, db, make } = await testApp();

const remove = (person: Pick<Person, "email">) => deletePerson(db, readConfig({}), person.email);

test("an account that is deleted leaves its workspaces, by an operator, and those where nobody else is are gone", async () => {
  const { owner, workspace } = await make.workspace();
  const { workspace: alone } = await make.workspace({ owner });
  const other = await make.member(workspace, "admin");

  await remove(owner);

  expectError(await as(owner).get("/users/me"), "UNAUTHORIZED");
  expectError(await as(other).get(`/workspaces/${alone.publicId}`), "NOT_FOUND");
  const people = ok(await as(other).get<{ name: string }[]>(`/workspaces/${workspace.publicId}/members`));
  expect(people).toHaveLength(1);
  const { items } = ok(await as(other).get<{ items: object[] }>(`/workspaces/${workspace.publicId}/events`));
  expect(items.at(-1)).toMatchObject({ type: "member.removed", origin: { kind: "operator" }, actor: null });
  const [entry] = await db
    .select()
    .from(auditEntry)
    .where(eq(auditEntry.type, "account.deleted"))
    .orderBy(desc(auditEntry.id))
    .limit(1);
  expect(entry).toMatchObject({ actorId: null, address: null, target: { publicId: owner.publicId, name: owner.name } });
  const again = { name: "Again", email: owner.email, password: "correct horse battery" };
  ok(await anonymous.post("/auth/sign-up", again));
});

test("the last admin of workspaces with other members is refused by their names, and nothing is changed", async () => {
  const { owner, workspace } = await make.workspace({ name: "Acme" });
  const { workspace: second } = await make.workspace({ owner, name: "Beta" });
  await make.workspace({ owner });
  for (const one of [workspace, second]) await make.member(one, "member");
  const before = await contentsOf(db);

  const refusal = expect.stringContaining(
    `"${workspace.name}" (${workspace.publicId}), "${second.name}" (${second.publicId})`,
  );
  await expect(remove(owner)).rejects.toMatchObject({ code: "BAD_REQUEST", issues: [{ message: refusal }] });
  expect(await contentsOf(db)).toEqual(before);
});

test("an unknown address is refused, and the last instance admin; a disabled account is deleted", async () => {
  await expect(remove({ email: "nobody@example.org" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  const [ada, max] = [await make.user(), await make.user()];
  const state = (isAdmin: boolean) => ({ isAdmin, disabledAt: null });
  await db.update(account).set(state(true)).where(eq(account.publicId, ada.publicId));
  await expect(remove(ada)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  ok(await as(ada).get("/users/me"));
  await db.update(account).set(state(true)).where(eq(account.publicId, max.publicId));
  await remove(ada);
  expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
  const out = await make.user();
  await db.update(account).set({ disabledAt: new Date().toISOString() }).where(eq(account.publicId, out.publicId));
  await remove(out);
  await expect(remove(out)).rejects.toMatchObject({ code: "BAD_REQUEST" });
});
