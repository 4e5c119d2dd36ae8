// People of a workspace: inviting by address, roles, leaving (specification 4.7, 4.13; contract section 2).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { expectError, ok, type Person, testApp, unique, type Workspace } from "../helpers/app.js";

const { as, make, db, anonymous } = await testApp();

interface Member {
  publicId: string;
  name: string;
  email: string | null;
  role: string;
  status: string;
  inviteLink: string | null;
}

const codeOf = (link: string | null) => link?.split("/invite/")[1] ?? "";
const membersSeen = async (person: Person, workspace: Workspace) =>
  ok(await as(person).get<Member[]>(`/workspaces/${workspace.publicId}/members`));
const address = () => `${unique("person").replace(" ", ".")}@example.org`;

async function inviteTo(workspace: Workspace, email: string, role?: string) {
  return ok(
    await as(workspace.owner).post<{ publicId: string; invited: boolean; inviteLink: string | null }>(
      `/workspaces/${workspace.publicId}/members/invite`,
      { email, ...(role !== undefined && { role }) },
    ),
  );
}

/** Someone who accepted an invitation, over HTTP alone. */
async function joined(workspace: Workspace, role?: string) {
  const person = await make.user();
  const { publicId, inviteLink } = await inviteTo(workspace, person.email, role);
  ok(await as(person).post("/invites/accept", { inviteCode: codeOf(inviteLink) }));
  return { ...person, memberPublicId: publicId };
}

async function eventTypes(workspace: Workspace): Promise<string[]> {
  const rows = await db.rows<{ type: string }>(sql`
    select e.type from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${workspace.publicId}::text order by e.seq`);
  return rows.map(({ type }) => type);
}

describe("inviting an address", () => {
  test("makes a pending member whose link, once accepted, makes it active under the same identifier", async () => {
    const { workspace } = await make.workspace();
    const person = await make.user();
    const invited = await inviteTo(workspace, ` ${person.email.toUpperCase()} `, "guest");
    expect(invited).toMatchObject({ invited: true, inviteLink: expect.stringMatching(/\/invite\/[0-9A-Za-z]{24}$/) });
    expect(await membersSeen(workspace.owner, workspace)).toContainEqual({
      publicId: invited.publicId,
      name: "Invited",
      email: person.email,
      image: null,
      role: "guest",
      status: "invited",
      inviteLink: invited.inviteLink,
    });
    const eventsPath = `/workspaces/${workspace.publicId}/events`;
    const { items } = ok(await as(workspace.owner).get<{ items: { type: string; data: object }[] }>(eventsPath));
    expect(items.find(({ type }) => type === "member.invited")?.data).toEqual({
      memberPublicId: invited.publicId,
      role: "guest",
      member: { publicId: invited.publicId, name: "Invited", image: null, role: "guest", status: "invited" },
    });

    const preview = ok(await anonymous.get(`/invites/${codeOf(invited.inviteLink)}`));
    expect(preview).toMatchObject({ workspaceName: workspace.name, workspaceSlug: workspace.slug, role: "guest" });
    const accepted = ok(await as(person).post("/invites/accept", { inviteCode: codeOf(invited.inviteLink) }));
    expect(accepted).toEqual({
      success: true,
      workspacePublicId: workspace.publicId,
      workspaceSlug: workspace.slug,
    });
    const [, active] = await membersSeen(workspace.owner, workspace);
    expect(active).toMatchObject({ publicId: invited.publicId, status: "active", role: "guest", inviteLink: null });
    expect(await eventTypes(workspace)).toEqual(["member.invited", "member.added"]);
  });

  test("again changes nothing and gives the same link; a present member is left alone", async () => {
    const { workspace } = await make.workspace();
    const email = address();
    const first = await inviteTo(workspace, email, "admin");
    expect(await inviteTo(workspace, email, "guest")).toEqual({ ...first, invited: false });
    const member = await joined(workspace);
    expect(await inviteTo(workspace, member.email)).toEqual({
      publicId: member.memberPublicId,
      invited: false,
      mailed: false,
      inviteLink: null,
    });
    expect(await eventTypes(workspace)).toEqual(["member.invited", "member.invited", "member.added"]);
  });

  test("after expiry issues a new code for the same pending member, and the old one opens nothing", async () => {
    const { workspace } = await make.workspace();
    const email = address();
    const first = await inviteTo(workspace, email);
    await db.rows(
      sql`update invite set expires_at = now() - interval '1 minute' where code = ${codeOf(first.inviteLink)}::text`,
    );
    const second = await inviteTo(workspace, email);
    expect(second).toMatchObject({ publicId: first.publicId, invited: true });
    const person = await make.user();
    expectError(await as(person).post("/invites/accept", { inviteCode: codeOf(first.inviteLink) }), "BAD_REQUEST");
    expectError(await anonymous.get(`/invites/${codeOf(first.inviteLink)}`), "NOT_FOUND");
    ok(await as(person).post("/invites/accept", { inviteCode: codeOf(second.inviteLink) }));
  });

  test("the invitation lets in one of two who accept it at once", async () => {
    const { workspace } = await make.workspace();
    const { inviteLink } = await inviteTo(workspace, address());
    const people = [await make.user(), await make.user()];

    const answers = await Promise.all(
      people.map((person) => as(person).post("/invites/accept", { inviteCode: codeOf(inviteLink) })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await membersSeen(workspace.owner, workspace)).toHaveLength(2);
  });

  test("opens nothing for who only has the address", async () => {
    const { workspace } = await make.workspace();
    const email = address();
    await inviteTo(workspace, email);
    const person = await make.user({ email });
    expectError(await as(person).get(`/workspaces/${workspace.publicId}`), "FORBIDDEN");
  });

  test("is for admins alone, and tells nobody else the link", async () => {
    const { workspace } = await make.workspace();
    const member = await joined(workspace);
    await inviteTo(workspace, address());
    const path = `/workspaces/${workspace.publicId}/members/invite`;
    expectError(await as(member).post(path, { email: address() }), "FORBIDDEN");
    const pending = (await membersSeen(member, workspace)).find(({ status }) => status === "invited");
    expect(pending?.inviteLink).toBeNull();
  });

  test("is used once, and refused as soon as the pending member is removed", async () => {
    const { workspace } = await make.workspace();
    const used = await inviteTo(workspace, address());
    ok(await as(await make.user()).post("/invites/accept", { inviteCode: codeOf(used.inviteLink) }));
    const late = await as(await make.user()).post("/invites/accept", { inviteCode: codeOf(used.inviteLink) });
    expectError(late, "BAD_REQUEST");
    const removed = await inviteTo(workspace, address());
    ok(await as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${removed.publicId}`));
    const refused = await as(await make.user()).post("/invites/accept", { inviteCode: codeOf(removed.inviteLink) });
    expectError(refused, "BAD_REQUEST");
  });

  test("merges into a membership that is there already, with the higher role and the boards that waited", async () => {
    const { workspace, board } = await make.board({ visibility: "private" });
    const member = await joined(workspace, "guest");
    const invited = await inviteTo(workspace, address(), "member");
    const members = `/boards/${board.publicId}/members`;
    ok(await as(workspace.owner).post(members, { memberPublicId: invited.publicId }));
    ok(await as(member).post("/invites/accept", { inviteCode: codeOf(invited.inviteLink) }));
    const people = await membersSeen(workspace.owner, workspace);
    expect(people.map(({ publicId, role }) => [publicId, role]).slice(1)).toEqual([[member.memberPublicId, "member"]]);
    ok(await as(member).get(`/boards/${board.publicId}`));
  });
});

describe("roles", () => {
  test("change with an event and a notification to the person, and the last admin keeps its own", async () => {
    const { workspace } = await make.workspace();
    const member = await joined(workspace);
    const path = (id: string) => `/workspaces/${workspace.publicId}/members/${id}/role`;
    const [owner] = await membersSeen(workspace.owner, workspace);
    expectError(await as(workspace.owner).put(path(owner?.publicId ?? ""), { role: "member" }), "BAD_REQUEST");
    expectError(await as(member).put(path(member.memberPublicId), { role: "admin" }), "FORBIDDEN");
    const changed = ok(await as(workspace.owner).put(path(member.memberPublicId), { role: "admin" }));
    expect(changed).toEqual({ publicId: member.memberPublicId, role: "admin" });
    ok(await as(workspace.owner).put(path(owner?.publicId ?? ""), { role: "member" }));
    const notifications = await db.rows(sql`
      select n.type from notification n join account a on a.id = n.account_id where a.email = ${member.email}::text`);
    expect(notifications).toEqual([{ type: "workspace.role.changed" }]);
    expect((await eventTypes(workspace)).slice(2)).toEqual(["member.role.changed", "member.role.changed"]);
  });

  test("someone made guest keeps only the boards it is a member of, and its assignments there", async () => {
    const { workspace, board, card } = await make.card();
    const member = await joined(workspace);
    const own = await make.board({ workspace });
    ok(
      await as(workspace.owner).post(`/boards/${own.board.publicId}/members`, {
        memberPublicId: member.memberPublicId,
      }),
    );
    const kept = await make.card({ list: (await make.list({ board: own.board })).list });
    for (const { publicId } of [card, kept.card]) {
      ok(await as(workspace.owner).put(`/cards/${publicId}/members/${member.memberPublicId}`));
    }
    ok(
      await as(workspace.owner).put(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`, {
        role: "guest",
      }),
    );
    expectError(await as(member).get(`/boards/${board.publicId}`), "FORBIDDEN");
    ok(await as(member).get(`/boards/${own.board.publicId}`));
    const assignees = async (id: string) =>
      ok(await as(workspace.owner).get<{ members: { publicId: string }[] }>(`/cards/${id}`)).members.map(
        (m) => m.publicId,
      );
    expect(await assignees(card.publicId)).toEqual([]);
    expect(await assignees(kept.card.publicId)).toEqual([member.memberPublicId]);
  });
});

describe("removing", () => {
  test("ends a membership on the next request, takes assignments along, and tells the person", async () => {
    const { workspace, board, card } = await make.card();
    const member = await joined(workspace);
    ok(await as(member).put(`/cards/${card.publicId}/members/${member.memberPublicId}`));
    const path = `/workspaces/${workspace.publicId}/members/${member.memberPublicId}`;
    ok(await as(workspace.owner).delete(path));
    expectError(await as(member).get(`/boards/${board.publicId}`), "FORBIDDEN");
    expectError(await as(workspace.owner).delete(path), "NOT_FOUND");
    const { members } = ok(await as(workspace.owner).get<{ members: unknown[] }>(`/cards/${card.publicId}`));
    expect(members).toEqual([]);
    const notifications = await db.rows(sql`
      select n.type from notification n join account a on a.id = n.account_id where a.email = ${member.email}::text`);
    expect(notifications).toEqual([{ type: "workspace.member.removed" }]);
  });

  test.each(["removed", "made a guest"])(
    "who is %s takes the invite link along, and joins by a later one as a guest only",
    async (how) => {
      const { workspace } = await make.workspace();
      const path = `/workspaces/${workspace.publicId}`;
      const member = await joined(workspace);
      const linkOf = async () => ok(await as(workspace.owner).post<{ inviteCode: string }>(`${path}/invites`));
      const old = await linkOf();
      const own = `${path}/members/${member.memberPublicId}`;

      if (how === "made a guest") {
        ok(await as(workspace.owner).put(`${own}/role`, { role: "guest" }));
        ok(await as(member).delete(own));
      } else {
        ok(await as(workspace.owner).delete(own));
      }

      expect(ok(await as(workspace.owner).get(`${path}/invites`))).toEqual({ invite: null });
      expectError(await as(member).post("/invites/accept", { inviteCode: old.inviteCode }), "BAD_REQUEST");
      const { inviteCode } = await linkOf();
      ok(await as(member).post("/invites/accept", { inviteCode }));
      ok(await as(await make.user()).post("/invites/accept", { inviteCode }));
      const roles = (await membersSeen(workspace.owner, workspace)).map(({ role }) => role);
      expect(roles).toEqual(["admin", "guest", "member"]);
      expect(await eventTypes(workspace)).toContain("invite.revoked");
    },
  );

  test("who was removed and is then invited by address has that role, and joins by links as before", async () => {
    const { workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}`;
    const member = await joined(workspace);
    ok(await as(workspace.owner).delete(`${path}/members/${member.memberPublicId}`));

    const again = await inviteTo(workspace, member.email, "member");
    ok(await as(member).post("/invites/accept", { inviteCode: codeOf(again.inviteLink) }));
    ok(await as(member).delete(`${path}/members/${again.publicId}`));
    const { inviteCode } = ok(await as(workspace.owner).post<{ inviteCode: string }>(`${path}/invites`));
    ok(await as(member).post("/invites/accept", { inviteCode }));

    expect((await membersSeen(workspace.owner, workspace)).map(({ role }) => role)).toEqual(["admin", "member"]);
  });

  test("leaving by oneself keeps the invite link, by which one comes back as a member", async () => {
    const { workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}`;
    const member = await joined(workspace);
    const { inviteCode } = ok(await as(workspace.owner).post<{ inviteCode: string }>(`${path}/invites`));

    ok(await as(member).delete(`${path}/members/${member.memberPublicId}`));
    ok(await as(member).post("/invites/accept", { inviteCode }));

    expect((await membersSeen(workspace.owner, workspace)).map(({ role }) => role)).toEqual(["admin", "member"]);
  });

  test("each card that loses its assignee is told of before the member is, with its revision", async () => {
    const { workspace, list, card } = await make.card();
    const second = await make.card({ list });
    const member = await joined(workspace);
    const cards = [card.publicId, second.card.publicId];
    for (const id of cards) ok(await as(member).put(`/cards/${id}/members/${member.memberPublicId}`));

    ok(await as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}`));

    const lost = await db.rows<{ type: string; card: string | null; isRevision: boolean }>(sql`
      select e.type, e.card_public_id as card, coalesce(c.revision = e.seq, true) as "isRevision"
      from event e join workspace w on w.id = e.workspace_id
      left join card c on c.workspace_id = e.workspace_id and c.public_id = e.card_public_id
      where w.public_id = ${workspace.publicId}::text order by e.seq desc limit 3`);
    expect(lost.reverse()).toEqual([
      ...cards.map((id) => ({ type: "card.member.removed", card: id, isRevision: true })),
      { type: "member.removed", card: null, isRevision: true },
    ]);
  });

  test("oneself needs no permission, but the last admin stays", async () => {
    const { workspace } = await make.workspace();
    const guest = await joined(workspace, "guest");
    const [owner] = await membersSeen(workspace.owner, workspace);
    const path = (id: string | undefined) => `/workspaces/${workspace.publicId}/members/${id}`;
    expectError(await as(guest).delete(path(owner?.publicId)), "FORBIDDEN");
    ok(await as(guest).delete(path(guest.memberPublicId)));
    expectError(await as(workspace.owner).delete(path(owner?.publicId)), "BAD_REQUEST");
  });

  test("the only active admin beside an invited one can neither leave nor be demoted", async () => {
    const { workspace } = await make.workspace();
    await inviteTo(workspace, address(), "admin");
    const [owner] = await membersSeen(workspace.owner, workspace);
    const path = `/workspaces/${workspace.publicId}/members/${owner?.publicId}`;
    expectError(await as(workspace.owner).delete(path), "BAD_REQUEST");
    expectError(await as(workspace.owner).put(`${path}/role`, { role: "member" }), "BAD_REQUEST");
    expect(ok(await as(workspace.owner).get(`/workspaces/${workspace.publicId}`))).toMatchObject({ role: "admin" });
  });

  test("two admins who remove each other at once leave one", async () => {
    const { workspace } = await make.workspace();
    const second = await joined(workspace, "admin");
    const [owner] = await membersSeen(workspace.owner, workspace);
    const answers = await Promise.all([
      as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${second.memberPublicId}`),
      as(second).delete(`/workspaces/${workspace.publicId}/members/${owner?.publicId}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const admins = await db.rows(sql`
      select m.id from member m join workspace w on w.id = m.workspace_id
      where w.public_id = ${workspace.publicId}::text and m.role = 'admin'`);
    expect(admins).toHaveLength(1);
  });
});

test("a guest sees itself and the people on its boards, without addresses", async () => {
  const { workspace, board } = await make.board();
  const [guest, stranger] = [await joined(workspace, "guest"), await joined(workspace)];
  ok(await as(workspace.owner).post(`/boards/${board.publicId}/members`, { memberPublicId: guest.memberPublicId }));
  const seen = await membersSeen(guest, workspace);
  expect(seen.map(({ publicId }) => publicId)).not.toContain(stranger.memberPublicId);
  expect(seen.map(({ email }) => email)).toEqual([null, guest.email]);
});
