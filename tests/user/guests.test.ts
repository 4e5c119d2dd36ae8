// Accountless guests are closed once nobody can come back as them.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { closeAbandonedGuests } from "../../src/user/guests.js";
import { expectError, type Fields, ok, testApp, type Workspace } from "../helpers/app.js";
import { swept } from "../helpers/sweeping.js";

const { as, anonymous, make, db } = await testApp();

async function guestIn({ publicId, owner }: Workspace) {
  const { inviteCode } = ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`));
  const token = (await anonymous.post("/invites/accept", { inviteCode })).headers["x-access-token"] ?? "";
  const me = ok(await as({ token }).get<{ publicId: string }>("/users/me"));
  const member = (await membersOf({ publicId, owner })).at(-1);
  return { token, publicId: me.publicId, memberPublicId: member?.publicId ?? "" };
}

interface Member {
  publicId: string;
  name: string;
  role: string;
}

const membersOf = async ({ publicId, owner }: Pick<Workspace, "publicId" | "owner">) =>
  ok(await as(owner).get<Member[]>(`/workspaces/${publicId}/members`));

const endTokensOf = ({ publicId }: { publicId: string }) =>
  db.rows(sql`
    update access_token set expires_at = now() - interval '1 second'
    where account_id = (select id from account where public_id = ${publicId}::text)`);

test("one whose last token has ended leaves cards and workspace, as events tell; its comments stay by Deleted user", async () => {
  const { card, board, workspace } = await make.card();
  const guest = await guestIn(workspace);
  ok(await as(workspace.owner).post(`/boards/${board.publicId}/members`, { memberPublicId: guest.memberPublicId }));
  ok(await as(workspace.owner).put(`/cards/${card.publicId}/members/${guest.memberPublicId}`));
  ok(await as(guest).post(`/cards/${card.publicId}/comments`, { comment: "Here" }));
  await swept(closeAbandonedGuests, db);
  expect(await membersOf(workspace)).toHaveLength(2);
  await endTokensOf(guest);

  expect(await swept(closeAbandonedGuests, db)).toEqual([1]);

  expect(await membersOf(workspace)).toHaveLength(1);
  const { items } = ok(await as(workspace.owner).get<{ items: Fields[] }>(`/cards/${card.publicId}/comments`));
  expect(items).toMatchObject([{ comment: "Here", author: { name: "Deleted user" } }]);
  const logged = ok(await as(workspace.owner).get<{ items: Fields[] }>(`/workspaces/${workspace.publicId}/events`));
  const { memberPublicId } = guest;
  const bySystem = { actor: null, origin: { kind: "system" }, data: { memberPublicId } };
  expect(logged.items.slice(-2)).toMatchObject([
    { type: "card.member.removed", cardPublicId: card.publicId, ...bySystem },
    { type: "member.removed", ...bySystem },
  ]);
  expectError(await as(guest).get("/users/me"), "UNAUTHORIZED");
  expect(await swept(closeAbandonedGuests, db)).toEqual([]);
});

test("one who signed out, or was removed and let its token end, goes too", async () => {
  const { workspace } = await make.workspace();
  const [gone, removed] = [await guestIn(workspace), await guestIn(workspace)];
  ok(await as(gone).post("/auth/sign-out"));
  ok(await as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${removed.memberPublicId}`));
  await endTokensOf(removed);

  await swept(closeAbandonedGuests, db);

  const open = await db.rows(sql`
    select from account where public_id in ${[gone.publicId, removed.publicId]} and deleted_at is null`);
  expect(open).toEqual([]);
});

test("the last admin of a workspace stays, and so does whoever has an account by now", async () => {
  const { workspace } = await make.workspace();
  const [admin, owner] = [await guestIn(workspace), await guestIn(workspace)];
  const path = `/workspaces/${workspace.publicId}/members`;
  ok(await as(workspace.owner).put(`${path}/${admin.memberPublicId}/role`, { role: "admin" }));
  ok(await as(workspace.owner).post("/users/me/delete", { password: workspace.owner.password }));
  const account = { name: "Ada", email: "ada.guest@example.org", password: "correct horse battery" };
  ok(await as(owner).post("/auth/sign-up", account));
  for (const guest of [admin, owner]) await endTokensOf(guest);

  await swept(closeAbandonedGuests, db);

  const open = await db.rows(sql`
    select from account where public_id in ${[admin.publicId, owner.publicId]} and deleted_at is null`);
  expect(open).toHaveLength(2);
});

test("one who has a token again once it is its turn stays", async () => {
  const { workspace } = await make.workspace();
  const [first, back] = [await guestIn(workspace), await guestIn(workspace)];
  for (const guest of [first, back]) await endTokensOf(guest);
  const sweep = closeAbandonedGuests(db);
  await sweep.next();
  await db.rows(sql`
    update access_token set expires_at = now() + interval '1 hour'
    where account_id = (select id from account where public_id = ${back.publicId}::text)`);
  for await (const _ of sweep);
  ok(await as(back).get("/users/me"));
});
