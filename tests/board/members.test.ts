// The members of a board (specification 4.7; contract sections 2 and 3).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { type Board, expectError, ok, testApp, unique } from "../helpers/app.js";

const { as, make, db } = await testApp();

const address = () => `${unique("person").replace(" ", ".")}@example.org`;
const membersOf = async (board: Board) =>
  ok(await as(board.owner).get<{ publicId: string; status: string }[]>(`/boards/${board.publicId}/members`));

async function eventTypes(board: Board): Promise<string[]> {
  const rows = await db.rows<{ type: string }>(sql`
    select e.type from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${board.workspace.publicId}::text order by e.seq`);
  return rows.map(({ type }) => type);
}

describe("inviting an address to a board", () => {
  test("adds the workspace member it belongs to, and repeating it changes nothing", async () => {
    const { board, workspace } = await make.board({ visibility: "private" });
    const member = await make.member(workspace, "member");
    expectError(await as(member).get(`/boards/${board.publicId}`), "FORBIDDEN");
    const path = `/boards/${board.publicId}/members/invite`;
    const answer = { publicId: member.memberPublicId, invited: false, mailed: false };
    expect(ok(await as(board.owner).post(path, { email: member.email.toUpperCase() }))).toEqual(answer);
    expect(ok(await as(board.owner).post(path, { email: member.email }))).toEqual(answer);
    ok(await as(member).get(`/boards/${board.publicId}`));
    expect((await eventTypes(board)).filter((type) => type === "board.member.added")).toHaveLength(1);
  });

  test("invites an unknown address to the workspace as a guest, whose board waits until it accepts", async () => {
    const { board, workspace, owner } = await make.board();
    const path = `/boards/${board.publicId}/members/invite`;
    const person = await make.user();
    const first = ok(await as(owner).post<{ publicId: string; invited: boolean }>(path, { email: person.email }));
    expect(first.invited).toBe(true);
    expect(ok(await as(owner).post(path, { email: person.email }))).toEqual({ ...first, invited: false });
    expect(await membersOf(board)).toContainEqual(
      expect.objectContaining({ publicId: first.publicId, status: "invited" }),
    );

    const people = ok(
      await as(owner).get<{ publicId: string; role: string; inviteLink: string }[]>(
        `/workspaces/${workspace.publicId}/members`,
      ),
    );
    const pending = people.find(({ publicId }) => publicId === first.publicId);
    expect(pending?.role).toBe("guest");
    ok(await as(person).post("/invites/accept", { inviteCode: pending?.inviteLink.split("/").at(-1) }));
    ok(await as(person).get(`/boards/${board.publicId}`));
  });

  test("by who may not invite is FORBIDDEN for an address it cannot see", async () => {
    const { board, workspace, owner } = await make.board();
    const [member, other] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
    const path = `/boards/${board.publicId}/members/invite`;
    expectError(await as(member).post(path, { email: address() }), "FORBIDDEN");
    ok(await as(member).post(path, { email: other.email }));
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));
    expectError(await as(member).post(path, { email: owner.email }), "FORBIDDEN");
  });

  test("by who may not invite renews no expired invitation whose address it sees", async () => {
    const { board, workspace, owner } = await make.board();
    const [member, email] = [await make.member(workspace, "member"), address()];
    const invited = ok(
      await as(owner).post<{ publicId: string }>(`/workspaces/${workspace.publicId}/members/invite`, { email }),
    );
    const codes = () =>
      db.rows(sql`select code from invite where workspace_id = ${workspaceOf(board.publicId)}::bigint`);
    await db.rows(sql`
      update invite set expires_at = now() - interval '1 minute'
      where workspace_id = ${workspaceOf(board.publicId)}::bigint`);
    const before = await codes();
    const answer = ok(await as(member).post(`/boards/${board.publicId}/members/invite`, { email }));
    expect(answer).toEqual({ publicId: invited.publicId, invited: false, mailed: false });
    expect(await codes()).toEqual(before);
    expect((await membersOf(board)).map(({ publicId }) => publicId)).toContain(invited.publicId);
  });

  test("a member adds itself by its own address, also where members do not see addresses", async () => {
    const { board, workspace, owner } = await make.board();
    const member = await make.member(workspace, "member");
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));
    const answer = await as(member).post(`/boards/${board.publicId}/members/invite`, { email: member.email });
    expect(ok(answer)).toEqual({ publicId: member.memberPublicId, invited: false, mailed: false });
    expect((await membersOf(board)).map(({ publicId }) => publicId)).toContain(member.memberPublicId);
  });
});

describe("adding and removing", () => {
  test("a member by its identifier, once, and one of another workspace never", async () => {
    const { board, workspace, owner } = await make.board();
    const member = await make.member(workspace, "guest");
    const stranger = await make.member((await make.workspace()).workspace, "member");
    const path = `/boards/${board.publicId}/members`;
    for (const _ of [1, 2]) {
      const answer = await as(owner).post(path, { memberPublicId: member.memberPublicId });
      expect(ok(answer)).toEqual({ publicId: member.memberPublicId });
    }
    expect((await membersOf(board)).map(({ publicId }) => publicId)).toContain(member.memberPublicId);
    expectError(await as(owner).post(path, { memberPublicId: stranger.memberPublicId }), "FORBIDDEN");
    expectError(await as(owner).delete(`${path}/${stranger.memberPublicId}`), "NOT_FOUND");
  });

  test("a guest that is removed is out on the next request, and off the board's cards", async () => {
    const { board, owner, card } = await make.card();
    const guest = await make.member(board, "guest");
    ok(await as(owner).put(`/cards/${card.publicId}/members/${guest.memberPublicId}`));
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`));
    expectError(await as(guest).get(`/boards/${board.publicId}`), "FORBIDDEN");
    const { members } = ok(await as(owner).get<{ members: unknown[] }>(`/cards/${card.publicId}`));
    expect(members).toEqual([]);
    const revised = await db.rows(sql`
      select 1 from card c join event e on e.workspace_id = c.workspace_id and e.seq = c.revision
      where c.public_id = ${card.publicId}::text and e.type = 'card.member.removed'`);
    expect(revised).toHaveLength(1);
    const types = await eventTypes(board);
    expect(types.slice(-2)).toEqual(["card.member.removed", "board.member.removed"]);
    expectError(await as(owner).delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`), "NOT_FOUND");
  });

  test("a guest may leave by itself, and take nobody else away", async () => {
    const { board } = await make.board();
    const [guest, other] = [await make.member(board, "guest"), await make.member(board, "guest")];
    const path = `/boards/${board.publicId}/members`;
    expectError(await as(guest).delete(`${path}/${other.memberPublicId}`), "FORBIDDEN");
    ok(await as(guest).delete(`${path}/${guest.memberPublicId}`));
    expect((await membersOf(board)).map(({ publicId }) => publicId)).not.toContain(guest.memberPublicId);
  });

  test("on an archived board is BAD_REQUEST", async () => {
    const { board, workspace, owner } = await make.board();
    const member = await make.member(workspace, "member");
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    const path = `/boards/${board.publicId}/members`;
    expectError(await as(owner).post(path, { memberPublicId: member.memberPublicId }), "BAD_REQUEST");
    expectError(await as(owner).post(`${path}/invite`, { email: member.email }), "BAD_REQUEST");
  });
});
