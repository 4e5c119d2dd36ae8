// Who can be assigned and mentioned on a board: `GET /boards/{boardPublicId}/assignable` against what assigning accepts.

import { expect, test } from "vitest";
import { expectError, type Fields, type MemberPerson, ok, testApp } from "../helpers/app.js";
import type { Bearer } from "../helpers/requests.js";

const { as, make } = await testApp();

interface Shown {
  publicId: string;
  email: string | null;
}

const assignable = async (person: Bearer, { publicId }: { publicId: string }) =>
  ok(await as(person).get<Shown[]>(`/boards/${publicId}/assignable`));
const idsOf = (people: readonly { publicId: string }[]) => people.map(({ publicId }) => publicId);

/** A workspace with people of each role, on the board and not, one of them invited. */
async function peopled(visibility: "workspace" | "private" | "public") {
  const { owner, workspace, board, card } = await make.card({
    board: (await make.board({ visibility })).board,
  });
  const people: Record<string, MemberPerson> = {};
  for (const role of ["admin", "member", "guest"] as const) {
    people[role] = await make.member(workspace, role);
    people[`${role} on the board`] = await make.member(board, role);
  }
  const invited = ok(
    await as(owner).post<{ publicId: string }>(`/boards/${board.publicId}/members/invite`, {
      email: "invited@example.org",
    }),
  );
  return { owner, workspace, board, card, people, invited };
}

test.each(["workspace", "private", "public"] as const)(
  "on a board with the visibility %s the assignable members are those whom assigning accepts, in the order of the workspace",
  async (visibility) => {
    const { owner, workspace, board, card } = await peopled(visibility);
    const members = ok(await as(owner).get<Fields[]>(`/workspaces/${workspace.publicId}/members`));
    const accepted: Fields[] = [];
    for (const { inviteLink: _, ...member } of members) {
      const path = `/cards/${card.publicId}/members/${member.publicId}`;
      const { status } = await as(owner).put(path, { on: true });
      if (status === 200) accepted.push(member);
    }

    expect(await assignable(owner, board)).toEqual(accepted);
    expect(accepted.length).toBeLessThan(members.length);
  },
);

test("a guest gets the active members of the board, without addresses", async () => {
  const { owner, board, people } = await peopled("workspace");
  const guest = people["guest on the board"] as MemberPerson;

  const shown = await assignable(guest, board);

  const onBoard = ok(await as(owner).get<Fields[]>(`/boards/${board.publicId}/members`));
  expect(idsOf(shown)).toEqual(onBoard.filter(({ status }) => status === "active").map(({ publicId }) => publicId));
  expect(shown.filter(({ email }) => email !== null).map(({ email }) => email)).toEqual([guest.email]);
  expectError(await as(people.guest as MemberPerson).get(`/boards/${board.publicId}/assignable`), "FORBIDDEN");
});

test("who cannot see a board any longer is no longer assignable there", async () => {
  const { owner, board, people } = await peopled("workspace");
  const member = people.member as MemberPerson;
  expect(idsOf(await assignable(owner, board))).toContain(member.memberPublicId);
  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
  expect(idsOf(await assignable(owner, board))).not.toContain(member.memberPublicId);
});
