// `me` in answers lists what the caller may do there with its token: each permission against what the service then does.

import { describe, expect, test } from "vitest";
import { PERMISSIONS, type Permission, permissionsOf } from "../../src/access/permissions.js";
import { type Board, ok, testApp, unique } from "../helpers/app.js";
import type { Role } from "../helpers/make.js";
import type { Answer, Bearer, Client } from "../helpers/requests.js";

const { as, make, anonymous } = await testApp();

interface Me {
  memberPublicId: string;
  role: Role;
  permissions: Permission[];
}

const meOn = async (person: Bearer, { publicId }: Pick<Board, "publicId">) =>
  ok(await as(person).get<{ me: Me }>(`/boards/${publicId}`)).me;

const ROLES = ["admin", "member", "guest"] as const;
const SCOPES = ["write", "read"] as const;

/** A board with something for each permission to act on, and a call that requires the permission. */
async function callsOn(board: Board): Promise<Partial<Record<Permission, (client: Client) => Promise<Answer>>>> {
  const { workspace } = board;
  const { list } = await make.list({ board });
  const { list: lastList } = await make.list({ board });
  const { card } = await make.card({ list });
  const { card: lastCard } = await make.card({ list });
  const { comment } = await make.comment({ card });
  const { comment: lastComment } = await make.comment({ card });
  const { tag } = await make.tag({ workspace });
  const at = { workspace: `/workspaces/${workspace.publicId}`, board: `/boards/${board.publicId}` };
  const comments = `/cards/${card.publicId}/comments`;
  return {
    "workspace:view": ({ get }) => get(at.workspace),
    "workspace:edit": ({ put }) => put(at.workspace, { description: "Edited" }),
    "board:view": ({ get }) => get(at.board),
    "board:create": ({ post }) => post(`${at.workspace}/boards`, { name: unique("Board") }),
    "board:edit": ({ put }) => put(`${at.board}/tags/${tag.publicId}`),
    "list:create": ({ post }) => post("/lists", { name: "List", boardPublicId: board.publicId }),
    "list:edit": ({ put }) => put(`/lists/${list.publicId}`, { name: unique("List") }),
    "list:delete": (client) => client.delete(`/lists/${lastList.publicId}`),
    "card:view": ({ get }) => get(`/cards/${card.publicId}`),
    "card:create": ({ post }) => post("/cards", { title: "Card", listPublicId: list.publicId }),
    "card:edit": ({ put }) => put(`/cards/${card.publicId}`, { title: unique("Card") }),
    "card:delete": (client) => client.delete(`/cards/${lastCard.publicId}`),
    "comment:view": ({ get }) => get(comments),
    "comment:create": ({ post }) => post(comments, { comment: "Comment" }),
    "comment:edit": ({ put }) => put(`${comments}/${comment.publicId}`, { comment: unique("Comment") }),
    "comment:delete": (client) => client.delete(`${comments}/${lastComment.publicId}`),
    "member:view": ({ get }) => get(`${at.workspace}/members`),
    "member:invite": ({ post }) => post(`${at.workspace}/invites`),
    "meeting:view": ({ get }) => get(`${at.workspace}/meetings`),
    "meeting:edit": ({ put }) =>
      put(`${at.workspace}/meetings`, { title: "Meeting", scheduledAt: "2027-01-15", recurrence: "none" }),
    "tag:edit": ({ post }) => post(`${at.workspace}/tags`, { name: unique("Tag"), colourCode: "#1f6feb" }),
    "board:delete": (client) => client.delete(at.board),
  };
}

describe("on a board", () => {
  const states = ROLES.flatMap((role) =>
    SCOPES.flatMap((scope) => [false, true].map((isArchived) => ({ role, scope, isArchived }))),
  );

  test.each(states)("me lists what succeeds: %o", async ({ role, scope, isArchived }) => {
    const { owner, board } = await make.board();
    const calls = await callsOn(board);
    const person = await make.member(board, role);
    if (isArchived) ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    const reader = scope === "read" ? await make.token(person, { scope }) : person;

    const me = await meOn(reader, board);

    expect(me).toMatchObject({ memberPublicId: person.memberPublicId, role });
    expect(me.permissions).toEqual([...me.permissions].sort());
    const succeeded: string[] = [];
    for (const [permission, call] of Object.entries(calls)) {
      const { status } = await call(as(reader));
      if (status === 200) succeeded.push(permission);
    }
    expect(succeeded.sort()).toEqual(me.permissions.filter((permission) => permission in calls));
  });

  test("the public form of a board has no me", async () => {
    const { board } = await make.board({ visibility: "public" });

    expect(Object.keys(ok(await anonymous.get<object>(`/public/boards/${board.publicId}`)))).not.toContain("me");
  });

  test("me stands between what differs by caller and the position, and changes the ETag with the role", async () => {
    const { owner, board, workspace } = await make.board();
    const member = await make.member(board, "member");
    const path = `/boards/${board.publicId}`;

    const before = await as(member).get<object>(path);
    expect(Object.keys(before.body).slice(-4)).toEqual(["members", "isFavourite", "me", "eventId"]);
    const filtered = ok(await as(member).get<object>(`${path}?search=nothing`));
    expect(filtered).toEqual({ ...before.body });

    ok(
      await as(owner).put(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}/role`, { role: "admin" }),
    );
    const after = await as(member).get<{ me: Me }>(path);
    expect(after.body.me).toEqual({ memberPublicId: member.memberPublicId, role: "admin", permissions: PERMISSIONS });
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });
});

describe("in a workspace", () => {
  test.each(ROLES)("%s: the list, the workspace and a new one answer the same form", async (role) => {
    const { board, workspace } = await make.board();
    const person = await make.member(board, role);
    const me = { memberPublicId: person.memberPublicId, role, permissions: permissionsOf(role) };

    expect(ok(await as(person).get(`/workspaces/${workspace.publicId}`))).toMatchObject({ role, me });
    expect(ok(await as(person).get("/workspaces"))).toMatchObject([{ role, me }]);
    const reader = await make.token(person, { scope: "read" });
    const permissions = permissionsOf(role).filter((name) => name.endsWith(":view"));
    expect(ok(await as(reader).get("/workspaces"))).toMatchObject([{ me: { ...me, permissions } }]);
  });

  test("a new workspace answers me as reading it does; an update keeps exactly its fields", async () => {
    const owner = await make.user();
    const made = ok(await as(owner).post<{ publicId: string; me: Me }>("/workspaces", { name: unique("Workspace") }));

    expect(made.me.permissions).toEqual(PERMISSIONS);
    expect(ok(await as(owner).get<{ me: Me }>(`/workspaces/${made.publicId}`)).me).toEqual(made.me);
    const updated = ok(await as(owner).put<object>(`/workspaces/${made.publicId}`, { name: unique("Workspace") }));
    expect(Object.keys(updated)).not.toContain("me");
  });
});
