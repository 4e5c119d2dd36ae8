// One test for each section of the specification's endpoints: its fields, its listed errors, and its semantics as the contract
// decides them. What goes deeper stands in the tests of the features.

import { describe, expect, test } from "vitest";
import { expectError, ok, type Person, testApp, unique } from "./helpers/app.js";

const { as, anonymous, make, another } = await testApp();

type Method = "get" | "post" | "put" | "delete";

interface Call {
  method: Method;
  path: string;
  body?: object;
}

const send = (person: Person | null, { method, path, body }: Call) => {
  const client = person === null ? anonymous : as(person);
  return method === "get" || method === "delete" ? client[method](path) : client[method](path, body);
};

/** The errors that every authorised operation on a thing lists: no token, no access, and the thing unknown. */
async function expectListedErrors(call: Call, idInPath?: string) {
  const stranger = await make.user();
  expectError(await send(null, call), "UNAUTHORIZED");
  expectError(await send(stranger, call), "FORBIDDEN");
  if (idInPath === undefined) return;
  const unknown = { ...call, path: call.path.replace(idInPath, "unknown12345") };
  expectError(await send(stranger, unknown), call.method === "post" ? "FORBIDDEN" : "NOT_FOUND");
}

const publicId = expect.stringMatching(/^[0-9A-Za-z]{12}$/);
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("checklists and imports", () => {
  test("4.1 Update a checklist", async () => {
    const { owner, checklist } = await make.checklist();
    const call: Call = { method: "put", path: `/checklists/${checklist.publicId}`, body: { name: " Steps " } };
    expect(ok(await send(owner, call))).toEqual({ publicId: checklist.publicId, name: "Steps" });
    for (const name of [undefined, "", " ", "x".repeat(256), 3]) {
      expectError(await send(owner, { ...call, body: { name } }), "BAD_REQUEST", "name");
    }
    expectError(await as(owner).put("/checklists/thirteen-long", { name: "x" }), "BAD_REQUEST", "checklistPublicId");
    await expectListedErrors(call, checklist.publicId);
  });

  test("4.2 Import a board from CSV", async () => {
    const { owner, workspace } = await make.workspace();
    const body = {
      workspacePublicId: workspace.publicId,
      boardName: "Imported",
      rows: [
        ["A", "2027-05-13", "bug, ui", owner.email],
        ["B", "", "", "nobody"],
        ["", "", "", ""],
      ],
      mapping: { title: 0, dueDate: 1, labels: 2, assignee: 3 },
    };
    const call: Call = { method: "post", path: "/imports/csv/boards", body };
    expect(ok(await send(owner, call))).toEqual({
      boardsCreated: 1,
      listsCreated: 1,
      cardsCreated: 2,
      labelsCreated: 2,
      checklistItemsCreated: 0,
      cardsAssigned: 1,
      unmatchedAssignees: ["nobody"],
      skippedRows: [{ rowNumber: 3, reason: "emptyRow", value: "" }],
      warnings: [],
      boardPublicId: publicId,
    });
    expectError(await send(owner, { ...call, body: { ...body, rows: [] } }), "BAD_REQUEST", "rows");
    expectError(await send(owner, { ...call, body: { ...body, mapping: { title: 200 } } }), "BAD_REQUEST");
    await expectListedErrors(call);
  });
});

describe("workspaces", () => {
  test("4.3 Create or update the workspace meeting", async () => {
    const { owner, workspace } = await make.workspace();
    const path = `/workspaces/${workspace.publicId}/meetings`;
    const call: Call = { method: "put", path, body: { title: "Weekly", recurrence: "weekly", scheduledAt: null } };
    const made = ok(await as(owner).put<{ publicId: string }>(path, call.body));
    expect(made).toEqual({ publicId });
    const changed = { title: "Daily", meetingPublicId: made.publicId, recurrence: "daily" };
    expect(ok(await as(owner).put(path, changed))).toEqual(made);
    expect(ok(await as(owner).get(path))).toEqual([
      {
        ...made,
        title: "Daily",
        scheduledAt: null,
        description: "",
        callLink: null,
        recurrence: "daily",
        occurrences: [],
      },
    ]);
    for (const wrong of [{ title: "" }, { title: "x".repeat(256) }, { title: "x", recurrence: "yearly" }]) {
      expectError(await as(owner).put(path, wrong), "BAD_REQUEST");
    }
    expectError(await as(owner).put(path, { title: "x", callLink: "x".repeat(501) }), "BAD_REQUEST", "callLink");
    expectError(await as(owner).put(path, { title: "x", meetingPublicId: "unknown12345" }), "NOT_FOUND");
    await expectListedErrors(call, workspace.publicId);
  });

  test("4.4 Update a workspace", async () => {
    const { owner, workspace } = await make.workspace();
    const slug = `acme-${Date.now()}`;
    const body = {
      name: "Acme",
      slug: slug.toUpperCase(),
      description: "We make all",
      showEmailsToMembers: false,
      weekStartDay: 0,
    };
    const call: Call = { method: "put", path: `/workspaces/${workspace.publicId}`, body };
    const updated = { ...body, slug, publicId: workspace.publicId, plan: "free" };
    expect(ok(await send(owner, call))).toEqual(updated);
    expect(ok(await send(owner, { ...call, body: {} }))).toEqual(updated);
    for (const wrong of [{ weekStartDay: 7 }, { slug: "a" }, { slug: "---" }, { name: "" }, { plan: "pro" }]) {
      expectError(await send(owner, { ...call, body: wrong }), "BAD_REQUEST", Object.keys(wrong));
    }
    await expectListedErrors(call, workspace.publicId);
  });

  test("4.13 Delete a member from a workspace", async () => {
    const { owner, workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const path = `/workspaces/${workspace.publicId}/members/${member.memberPublicId}`;
    await expectListedErrors({ method: "delete", path }, workspace.publicId);
    expect(ok(await as(owner).delete(path))).toEqual({ success: true });
    expectError(await as(owner).delete(path), "NOT_FOUND");
  });

  test("4.15 Create invite link for workspace", async () => {
    const { owner, workspace } = await make.workspace();
    const call: Call = { method: "post", path: `/workspaces/${workspace.publicId}/invites` };
    expect(ok(await send(owner, call))).toEqual({
      publicId,
      inviteCode: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      inviteLink: expect.stringMatching(/\/invite\/[0-9A-Za-z]{24}$/),
      expiresAt: instant,
    });
    await expectListedErrors(call, workspace.publicId);
  });

  test("4.10 Accept an invite link", async () => {
    const { owner, workspace } = await make.workspace();
    const { inviteCode } = ok(
      await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    const answer = { success: true, workspacePublicId: workspace.publicId, workspaceSlug: workspace.slug };
    const accepted = await anonymous.post("/invites/accept", { inviteCode });
    expect(ok(accepted)).toEqual(answer);
    expect(accepted.headers["x-access-token"]).toMatch(/^wb_/);
    expect(ok(await as(await make.user()).post("/invites/accept", { inviteCode }))).toEqual(answer);
    for (const body of [{}, { inviteCode: "unknown" }, { inviteCode: 3 }]) {
      expectError(await anonymous.post("/invites/accept", body), "BAD_REQUEST");
    }
  });

  test("4.16 Get all board tags", async () => {
    const { owner, workspace, tag } = await make.tag();
    const call: Call = { method: "get", path: `/workspaces/${workspace.publicId}/tags` };
    expect(ok(await send(owner, call))).toEqual([
      { publicId: tag.publicId, name: tag.name, colourCode: tag.colourCode },
    ]);
    await expectListedErrors(call, workspace.publicId);
  });

  test("4.17 Get my permissions", async () => {
    const { workspace } = await make.workspace();
    const call: Call = { method: "get", path: `/workspaces/${workspace.publicId}/permissions/me` };
    const guest = await make.member(workspace, "guest");
    expect(ok(await send(guest, call))).toEqual({
      role: "guest",
      permissions: [
        "board:view",
        "card:view",
        "comment:create",
        "comment:view",
        "list:view",
        "member:view",
        "workspace:view",
      ],
    });
    await expectListedErrors(call, workspace.publicId);
  });

  test("4.12 Get cards with due dates for a calendar view", async () => {
    const { owner, workspace, board, list, card } = await make.card({ dueDate: "2026-11-30T23:59:59.999Z" });
    await make.card({ list, dueDate: "2026-12-01" });
    const path = `/workspaces/${workspace.publicId}/calendar`;
    const expected = {
      publicId: card.publicId,
      title: card.title,
      cardNumber: card.cardNumber,
      dueDate: "2026-11-30T23:59:59.999Z",
      completedAt: null,
      priority: "none",
      boardPublicId: board.publicId,
      boardName: board.name,
      listName: list.name,
    };
    expect(ok(await as(owner).get(`${path}?anchor=2026-11-10`))).toEqual([expected]);
    expect(ok(await as(owner).get(`${path}?month=2026-11`))).toEqual([expected]);
    expect(ok(await as(owner).get(`${path}?anchor=2026-11-30&view=week`))).toHaveLength(2);
    expect(ok(await as(owner).get(`${path}?anchor=2026-11-30&view=day&priority=high`))).toEqual([]);
    for (const query of ["anchor=2026-02-30", "month=2026-13", "view=year", "timeZone=Mars/Base", "search="]) {
      expectError(await as(owner).get(`${path}?${query}`), "BAD_REQUEST", query.split("=")[0]);
    }
    await expectListedErrors({ method: "get", path }, workspace.publicId);
  });

  test("4.20 Get authorization URL for an integration", async () => {
    const owner = await make.user();
    expectError(await as(owner).get("/integration/authorize"), "NOT_FOUND");
    expectError(await anonymous.get("/integration/authorize"), "UNAUTHORIZED");
    expectError(await as(owner).get("/integration/authorize?provider=jira"), "BAD_REQUEST", "provider");
    const configured = await another({ TRELLO_APP_KEY: "key", GITHUB_CLIENT_ID: "client" });
    for (const [query, host] of [
      ["", "trello.com"],
      ["?provider=github", "github.com"],
    ]) {
      const { url } = ok(await configured.as(owner).get<{ url: string }>(`/integration/authorize${query}`));
      expect(new URL(url).host).toBe(host);
    }
  });

  test("4.21 Delete a webhook", async () => {
    const { owner, workspace } = await make.workspace();
    const webhooks = `/workspaces/${workspace.publicId}/webhooks`;
    const hook = { name: "Hook", url: "https://example.org/", events: ["*"] };
    const made = ok(await as(owner).post<{ publicId: string }>(webhooks, hook));
    const path = `${webhooks}/${made.publicId}`;
    await expectListedErrors({ method: "delete", path }, workspace.publicId);
    expect(ok(await as(owner).delete(path))).toEqual({ success: true });
    expectError(await as(owner).delete(path), "NOT_FOUND");
  });
});

describe("boards, lists and cards", () => {
  test("4.5 Update a card", async () => {
    const { owner, list, card } = await make.card();
    const call: Call = {
      method: "put",
      path: `/cards/${card.publicId}`,
      body: { title: "New", description: "Text", dueDate: "2026-12-24T18:00:00+01:00", priority: "urgent" },
    };
    expect(ok(await send(owner, call))).toEqual({
      publicId: card.publicId,
      title: "New",
      description: "Text",
      dueDate: "2026-12-24T17:00:00.000Z",
      priority: "urgent",
    });
    const second = await make.card({ list });
    ok(await as(owner).put(`/cards/${second.card.publicId}`, { index: 0, listPublicId: list.publicId }));
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ index: 1 });
    for (const wrong of [
      { title: "" },
      { description: null },
      { index: -1 },
      { index: 0.5 },
      { dueDate: "2026-12-24T18:00:00" },
    ]) {
      expectError(await send(owner, { ...call, body: wrong }), "BAD_REQUEST", Object.keys(wrong));
    }
    const elsewhere = await make.list();
    expectError(await send(owner, { ...call, body: { listPublicId: elsewhere.list.publicId } }), "FORBIDDEN");
    expectError(await send(owner, { ...call, body: { listPublicId: "unknown12345" } }), "NOT_FOUND");
    await expectListedErrors(call, card.publicId);
  });

  test("4.6 Move many cards to a list", async () => {
    const { owner, board, list, card } = await make.card();
    const second = await make.card({ list });
    const target = await make.list({ board });
    const cardPublicIds = [second.card.publicId, card.publicId, second.card.publicId];
    const body = { cardPublicIds, listPublicId: target.list.publicId };
    const call: Call = { method: "post", path: "/cards/bulk/move", body };
    expect(ok(await send(owner, call))).toEqual({ count: 2 });
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({
      index: 1,
      list: { publicId: target.list.publicId },
    });
    expectError(await send(owner, { ...call, body: { ...body, cardPublicIds: [] } }), "BAD_REQUEST", "cardPublicIds");
    expectError(await send(owner, { ...call, body: { ...body, cardPublicIds: ["unknown12345"] } }), "FORBIDDEN");
    await expectListedErrors(call);
  });

  test("4.7 Invite an email address to a board", async () => {
    const { owner, board } = await make.board();
    const email = `${unique("new").replace(" ", ".")}@example.org`;
    const call: Call = { method: "post", path: `/boards/${board.publicId}/members/invite`, body: { email } };
    const first = ok(await as(owner).post<{ publicId: string }>(call.path, call.body));
    expect(first).toEqual({ publicId, invited: true, mailed: false });
    expect(ok(await send(owner, call))).toEqual({ publicId: first.publicId, invited: false, mailed: false });
    expectError(await send(owner, { ...call, body: { email: "no address" } }), "BAD_REQUEST", "email");
    await expectListedErrors(call, board.publicId);
  });

  test("4.8 Update a list", async () => {
    const { owner, board, list } = await make.list();
    await make.list({ board });
    const call: Call = { method: "put", path: `/lists/${list.publicId}`, body: { name: "Later", index: 99 } };
    expect(ok(await send(owner, call))).toEqual({ publicId: list.publicId, name: "Later" });
    const { lists } = ok(await as(owner).get<{ lists: { publicId: string }[] }>(`/boards/${board.publicId}`));
    expect(lists.at(-1)?.publicId).toBe(list.publicId);
    expectError(await send(owner, { ...call, body: { index: -1 } }), "BAD_REQUEST", "index");
    await expectListedErrors(call, list.publicId);
  });

  test("4.9 Create a list", async () => {
    const { owner, board } = await make.board();
    const call: Call = { method: "post", path: "/lists", body: { name: "To do", boardPublicId: board.publicId } };
    expect(ok(await send(owner, call))).toEqual({ publicId, name: "To do" });
    expectError(await send(owner, { ...call, body: { boardPublicId: board.publicId } }), "BAD_REQUEST", "name");
    expectError(await send(owner, { ...call, body: { name: "x", boardPublicId: "unknown12345" } }), "FORBIDDEN");
    await expectListedErrors(call);
  });

  test("4.11 Check if a board slug is available", async () => {
    const { owner, board, workspace } = await make.board();
    const other = await make.board({ workspace });
    const path = `/boards/${board.publicId}/check-slug-availability`;
    const isReserved = async (slug: string) => ok(await as(owner).get(`${path}?boardSlug=${slug}`));
    expect(await isReserved(other.board.slug.toUpperCase())).toEqual({ isReserved: true });
    expect(await isReserved("settings")).toEqual({ isReserved: true });
    expect(await isReserved(board.slug)).toEqual({ isReserved: false });
    for (const slug of ["ab", "---", "a_b", "x".repeat(61), ""]) {
      expectError(await as(owner).get(`${path}?boardSlug=${slug}`), "BAD_REQUEST", "boardSlug");
    }
    await expectListedErrors({ method: "get", path: `${path}?boardSlug=abc` }, board.publicId);
  });

  test("4.14 Add or remove a label from a card", async () => {
    const { owner, board, card } = await make.card();
    const { label } = await make.label({ board });
    const call: Call = { method: "put", path: `/cards/${card.publicId}/labels/${label.publicId}` };
    expect(ok(await send(owner, call))).toEqual({ newLabel: true });
    expect(ok(await send(owner, call))).toEqual({ newLabel: false });
    const elsewhere = await make.label();
    expectError(await as(owner).put(`/cards/${card.publicId}/labels/${elsewhere.label.publicId}`), "NOT_FOUND");
    await expectListedErrors(call, card.publicId);
  });

  test("4.18 Delete a checklist", async () => {
    const { owner, checklist, card } = await make.checklist();
    const call: Call = { method: "delete", path: `/checklists/${checklist.publicId}` };
    await expectListedErrors(call, checklist.publicId);
    expect(ok(await send(owner, call))).toEqual({ success: true });
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ checklists: [] });
    expectError(await send(owner, call), "NOT_FOUND");
  });

  test("4.19 Unarchive a card", async () => {
    const { owner, board, list, card } = await make.card();
    const first = await make.list({ board });
    ok(await as(owner).put(`/lists/${first.list.publicId}`, { index: 0 }));
    const call: Call = { method: "post", path: `/cards/${card.publicId}/unarchive` };
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    expect(ok(await send(owner, call))).toEqual({ success: true });
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({ list: { publicId: list.publicId } });
    ok(await as(owner).delete(`/lists/${list.publicId}`));
    expect(ok(await send(owner, call))).toEqual({ success: true });
    expect(ok(await as(owner).get(`/cards/${card.publicId}`))).toMatchObject({
      list: { publicId: first.list.publicId },
    });
    await expectListedErrors(call, card.publicId);
  });
});

describe("notifications", () => {
  async function someoneMentioned() {
    const { owner, workspace, board, card } = await make.card();
    const member = await make.member(workspace, "member");
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: `@[You](${member.memberPublicId})` }));
    return { owner, workspace, board, card, member };
  }

  test("4.22 List notifications", async () => {
    const { owner, workspace, board, card, member } = await someoneMentioned();
    expect(ok(await as(member).get("/notifications"))).toEqual([
      {
        publicId,
        type: "mention",
        createdAt: instant,
        readAt: null,
        actor: { name: owner.name, email: owner.email, image: null },
        card: {
          publicId: card.publicId,
          title: card.title,
          cardNumber: card.cardNumber,
          boardPublicId: board.publicId,
          cardPrefix: expect.stringMatching(/^[A-Z0-9]{1,10}$/),
        },
        workspace: { publicId: workspace.publicId, name: workspace.name },
      },
    ]);
    for (const limit of ["0", "51", "", "1.5", "x"]) {
      expectError(await as(member).get(`/notifications?limit=${limit}`), "BAD_REQUEST", "limit");
    }
    expectError(await anonymous.get("/notifications"), "UNAUTHORIZED");
  });

  test("4.23 Mark a notification as read", async () => {
    const { owner, member } = await someoneMentioned();
    const list = async () => ok(await as(member).get<{ publicId: string; readAt: string | null }[]>("/notifications"));
    const [unread] = await list();
    const call: Call = { method: "post", path: `/notifications/${unread?.publicId}/read` };
    expect(ok(await send(member, call))).toEqual({ success: true });
    const [read] = await list();
    expect(read?.readAt).toEqual(instant);
    expect(ok(await send(member, call))).toEqual({ success: true });
    expect(await list()).toEqual([read]);
    expectError(await send(owner, call), "FORBIDDEN");
    expectError(await as(member).post("/notifications/unknown12345/read"), "FORBIDDEN");
    expectError(await send(null, call), "UNAUTHORIZED");
  });
});
