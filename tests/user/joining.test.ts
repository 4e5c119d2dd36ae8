// How people get into a workspace more than once: what is remembered of who was removed, and what becomes of two memberships.

import { expect, test } from "vitest";
import { type MemberPerson, ok, type Person, testApp, type Workspace } from "../helpers/app.js";

const { as, anonymous, make } = await testApp();

const pathOf = ({ publicId }: Workspace) => `/workspaces/${publicId}`;
const accept = (person: Person, inviteCode: string) => as(person).post("/invites/accept", { inviteCode });

const linkTo = async (workspace: Workspace) =>
  ok(await as(workspace.owner).post<{ inviteCode: string }>(`${pathOf(workspace)}/invites`)).inviteCode;

/** The code of an invitation to an address, and the pending member. */
async function invitationTo(workspace: Workspace, role: string, email = `${Math.random()}@example.org`) {
  const path = `${pathOf(workspace)}/members/invite`;
  const invited = ok(await as(workspace.owner).post<{ publicId: string; inviteLink: string }>(path, { email, role }));
  return { memberPublicId: invited.publicId, code: invited.inviteLink.split("/").at(-1) ?? "" };
}

const remove = async (
  workspace: Workspace,
  { memberPublicId }: { memberPublicId: string },
  by: Person = workspace.owner,
) => ok(await as(by).delete(`${pathOf(workspace)}/members/${memberPublicId}`));

const roleOf = async (workspace: Workspace, person: { token: string }) =>
  ok(await as(person).get<{ role: string }>(pathOf(workspace))).role;

/** The role that somebody who leaves comes back with by a link. */
async function roleByLink(workspace: Workspace, person: Person): Promise<string> {
  const members = ok(
    await as(workspace.owner).get<{ publicId: string; email: string }[]>(`${pathOf(workspace)}/members`),
  );
  const memberPublicId = members.find(({ email }) => email === person.email)?.publicId ?? "";
  await remove(workspace, { memberPublicId }, person);
  ok(await accept(person, await linkTo(workspace)));
  return roleOf(workspace, person);
}

/** Somebody who was removed from a workspace, and is in it again as a guest. */
async function former(): Promise<{ workspace: Workspace; person: MemberPerson }> {
  const { workspace } = await make.workspace();
  const person = await make.member(workspace, "member");
  await remove(workspace, person);
  ok(await accept(person, await linkTo(workspace)));
  expect(await roleOf(workspace, person)).toBe("guest");
  return { workspace, person };
}

test("an invitation as a guest forgives nobody who was removed", async () => {
  const { workspace } = await make.workspace();
  const person = await make.member(workspace, "member");
  await remove(workspace, person);
  ok(await accept(person, (await invitationTo(workspace, "guest")).code));
  expect(await roleByLink(workspace, person)).toBe("guest");
});

test("an invitation that raises who is a guest since it was removed forgives it, and so does a role", async () => {
  const [invited, raised] = [await former(), await former()];
  ok(await accept(invited.person, (await invitationTo(invited.workspace, "member")).code));
  const members = ok(
    await as(raised.workspace.owner).get<{ publicId: string; email: string }[]>(`${pathOf(raised.workspace)}/members`),
  );
  const own = members.find(({ email }) => email === raised.person.email)?.publicId;
  ok(await as(raised.workspace.owner).put(`${pathOf(raised.workspace)}/members/${own}/role`, { role: "member" }));
  for (const { workspace, person } of [invited, raised]) {
    expect(await roleOf(workspace, person)).toBe("member");
    expect(await roleByLink(workspace, person)).toBe("member");
  }
});

test("a member who accepts an invitation has each of its boards once, and no lower role", async () => {
  const { workspace, board } = await make.board({ visibility: "private" });
  const { board: waiting } = await make.board({ workspace, visibility: "private" });
  const person = await make.member(board, "member");
  const invited = await invitationTo(workspace, "guest");
  for (const { publicId } of [board, waiting]) {
    ok(await as(workspace.owner).post(`/boards/${publicId}/members`, { memberPublicId: invited.memberPublicId }));
  }
  ok(await accept(person, invited.code));
  expect(await roleOf(workspace, person)).toBe("member");
  for (const { publicId } of [board, waiting]) {
    const on = ok(await as(person).get<{ publicId: string }[]>(`/boards/${publicId}/members`));
    expect(on.filter((one) => one.publicId === person.memberPublicId)).toHaveLength(1);
  }
});

test("nobody without an account is more than a guest, whatever role the invitation has", async () => {
  const { workspace } = await make.workspace();
  const { code: inviteCode } = await invitationTo(workspace, "admin");
  const joined = await anonymous.post("/invites/accept", { inviteCode });
  ok(joined);
  expect(await roleOf(workspace, { token: joined.headers["x-access-token"] ?? "" })).toBe("guest");
});

test("who comes back finds no favourites of before", async () => {
  const { workspace, board } = await make.board();
  const person = await make.member(workspace, "member");
  ok(await as(person).put(`/boards/${board.publicId}`, { isFavourite: true }));
  const isFavourite = async () =>
    ok(await as(person).get<{ isFavourite: boolean }>(`/boards/${board.publicId}`)).isFavourite;
  expect(await isFavourite()).toBe(true);
  await remove(workspace, person, person);
  ok(await accept(person, await linkTo(workspace)));
  expect(await isFavourite()).toBe(false);
});
