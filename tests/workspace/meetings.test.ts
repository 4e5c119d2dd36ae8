// Meetings made, changed and deleted.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contentsOf, expectError, type Fields, ok, testApp, type Workspace } from "../helpers/app.js";
import { meetingsOn, PLANNED, pathOf } from "./meetings.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { listed, saved } = meetingsOn(app);

const UNKNOWN = "AAAAAAAAAAAA";

const eventsOf = ({ publicId }: Workspace) =>
  db.rows<{ seq: number; type: string; data: Fields; actor: string; board: string | null; card: string | null }>(sql`
    select e.seq, e.type, e.data, a.public_id as actor, e.board_public_id as board, e.card_public_id as card
    from event e join workspace w on w.id = e.workspace_id join account a on a.id = e.actor_id
    where w.public_id = ${publicId}::text and e.type like 'meeting.%' order by e.seq`);

/** Everyone but those who may write: a guest of the workspace, a stranger, a read token of its admin. */
async function bystandersOf(workspace: Workspace) {
  return [
    await make.member(workspace, "guest"),
    await make.user(),
    await make.token(workspace.owner, { scope: "read" }),
  ];
}

describe("creating", () => {
  test("a member plans a meeting, with an event that has all of it but the call link", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");

    const publicId = await saved(workspace, { ...PLANNED, title: "  Weekly " }, member);

    expect(await listed(workspace)).toEqual([{ publicId, ...PLANNED, occurrences: [] }]);
    const { callLink: _, ...meeting } = { publicId, ...PLANNED };
    expect(await eventsOf(workspace)).toEqual([
      {
        seq: 1,
        type: "meeting.saved",
        data: { meetingPublicId: publicId, title: "Weekly", meeting },
        actor: member.publicId,
        board: null,
        card: null,
      },
    ]);
  });

  test("a title is enough: not yet planned, once, without description and link", async () => {
    const { workspace } = await make.workspace();
    const publicId = await saved(workspace, { title: "Some day" });
    expect(await listed(workspace)).toEqual([
      {
        publicId,
        title: "Some day",
        scheduledAt: null,
        description: "",
        callLink: null,
        recurrence: "none",
        occurrences: [],
      },
    ]);
  });

  test("each call without an identifier makes a meeting of its own, also with the same title", async () => {
    const { workspace } = await make.workspace();
    const made = [await saved(workspace, { title: "Same" }), await saved(workspace, { title: "Same" })];

    expect((await listed(workspace)).map(({ publicId }) => publicId)).toEqual(made);
  });

  test("a time with an offset, or a bare date, is kept in UTC", async () => {
    const { workspace } = await make.workspace();
    await saved(workspace, { title: "Offset", scheduledAt: "2027-01-05T09:00:00+02:00" });
    await saved(workspace, { title: "Date", scheduledAt: "2027-01-06" });

    expect((await listed(workspace)).map(({ scheduledAt }) => scheduledAt)).toEqual([
      "2027-01-05T07:00:00.000Z",
      "2027-01-06T00:00:00.000Z",
    ]);
  });

  test("texts as long as they may be are kept, characters beyond the first plane count once", async () => {
    const { workspace } = await make.workspace();
    const fields = { title: "🎉".repeat(255), description: "🎉".repeat(5000), callLink: `sip:${"é".repeat(496)}` };

    await saved(workspace, fields);
    expect(await listed(workspace)).toMatchObject([fields]);
  });

  test("a call link is any text, but none that a browser would run", async () => {
    const { owner, workspace } = await make.workspace();
    const links = [
      "",
      "https://x.example/?a=1&b=2",
      "tel:+49301234",
      "Room 4: javascript for all",
      "JavaScriptBar:",
      "Room of data: 3",
      "database:room",
      "fileserver:4",
      "+49 30 1234",
      "// javascript:",
    ];
    for (const callLink of links) await saved(workspace, { title: "Fine", callLink });
    expect((await listed(workspace)).map(({ callLink }) => callLink)).toEqual(links);

    for (const callLink of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "\u00a0javascript:alert(1)",
      " \u00a0\u3000\ufeff javascript:alert(1)",
      "java\tscript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "\u00a0DATA:text/html,x",
      "vbscript:msgbox(1)",
      " VbScript:x",
      "file:///etc/passwd",
      "\u00a0File:c:",
      "\u0001javascript:x",
      "a\nb",
      "a\u007fb",
    ]) {
      expectError(await as(owner).put(pathOf(workspace), { title: "Bad", callLink }), "BAD_REQUEST", "callLink");
    }
    expect(await listed(workspace)).toHaveLength(links.length);
  });

  test("wrong fields are BAD_REQUEST that names them, and nothing is made", async () => {
    const { owner, workspace } = await make.workspace();
    const before = await contentsOf(db);
    const wrong: [string, unknown[]][] = [
      ["title", [undefined, null, "", "   ", "x".repeat(256), "a\0b", 7]],
      ["scheduledAt", ["", "tomorrow", "2027-02-30", "2027-01-05T09:00:00", "0000-01-01", 1_700_000_000]],
      ["description", [null, "x".repeat(5001), "a\0b"]],
      ["callLink", ["x".repeat(501), "a\0b", 7]],
      ["recurrence", [null, "", "yearly", "Daily"]],
      ["meetingPublicId", [null, "", "short", "x".repeat(65)]],
      ["publicId", [UNKNOWN]],
      ["occurrences", [[]]],
    ];

    for (const [field, values] of wrong) {
      for (const value of values) {
        expectError(await as(owner).put(pathOf(workspace), { ...PLANNED, [field]: value }), "BAD_REQUEST", field);
      }
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("guests, strangers and read tokens can neither plan nor change nor delete a meeting", async () => {
    const { workspace } = await make.workspace();
    const publicId = await saved(workspace, PLANNED);

    for (const person of await bystandersOf(workspace)) {
      expectError(await as(person).put(pathOf(workspace), { title: "Mine" }), "FORBIDDEN");
      expectError(await as(person).put(pathOf(workspace), { title: "Mine", meetingPublicId: publicId }), "FORBIDDEN");
      expectError(await as(person).put(pathOf(workspace), { title: "" }), "BAD_REQUEST", "title");
      expectError(await as(person).delete(`${pathOf(workspace)}/${publicId}`), "FORBIDDEN");
    }
    expectError(await anonymous.put(pathOf(workspace), { title: "Mine" }), "UNAUTHORIZED");
    expectError(await as(workspace.owner).put(`/workspaces/${UNKNOWN}/meetings`, { title: "Mine" }), "NOT_FOUND");
    expect(await listed(workspace)).toEqual([{ publicId, ...PLANNED, occurrences: [] }]);
  });
});

describe("updating", () => {
  test("what is left out keeps its value, what is null is cleared", async () => {
    const { workspace } = await make.workspace();
    const meetingPublicId = await saved(workspace, PLANNED);
    const update = (fields: Fields) => saved(workspace, { meetingPublicId, title: "Weekly", ...fields });
    const now = async () => (await listed(workspace))[0];

    expect(await update({ title: "Renamed" })).toBe(meetingPublicId);
    expect(await now()).toEqual({ publicId: meetingPublicId, ...PLANNED, title: "Renamed", occurrences: [] });
    await update({ callLink: null });
    expect(await now()).toMatchObject({ ...PLANNED, callLink: null });
    await update({ scheduledAt: null });
    expect(await now()).toMatchObject({ scheduledAt: null, description: PLANNED.description, recurrence: "weekly" });
    await update({ recurrence: "monthly", description: "" });
    expect(await now()).toMatchObject({ scheduledAt: null, description: "", recurrence: "monthly" });
    expect(await listed(workspace)).toHaveLength(1);
  });

  test("its event tells from what to what, but for the call link, which opens the call", async () => {
    const { owner, workspace } = await make.workspace();
    const meetingPublicId = await saved(workspace, PLANNED);
    await saved(workspace, { meetingPublicId, title: "Moved", scheduledAt: null, callLink: "https://secret.example" });

    expect((await eventsOf(workspace)).at(-1)).toMatchObject({ seq: 2, type: "meeting.saved", actor: owner.publicId });
    expect((await eventsOf(workspace)).at(-1)?.data).toEqual({
      meetingPublicId,
      title: "Moved",
      changes: {
        title: { from: "Weekly", to: "Moved" },
        scheduledAt: { from: PLANNED.scheduledAt, to: null },
        callLink: {},
      },
    });
  });

  test("the same again changes nothing and writes no event", async () => {
    const { workspace } = await make.workspace();
    const meetingPublicId = await saved(workspace, PLANNED);
    const before = await contentsOf(db);

    expect(await saved(workspace, { meetingPublicId, title: "Weekly" })).toBe(meetingPublicId);
    await saved(workspace, { meetingPublicId, ...PLANNED, scheduledAt: "2027-01-05T10:00:00+01:00" });
    expect(await contentsOf(db)).toEqual(before);
    expect(await listed(workspace)).toEqual([{ publicId: meetingPublicId, ...PLANNED, occurrences: [] }]);
  });

  test("a meeting of another workspace, or an unknown one, is not found and not changed", async () => {
    const { owner, workspace } = await make.workspace();
    const { workspace: other } = await make.workspace({ owner });
    const meetingPublicId = await saved(other, PLANNED);

    for (const wanted of [meetingPublicId, UNKNOWN]) {
      expectError(await as(owner).put(pathOf(workspace), { meetingPublicId: wanted, title: "Mine" }), "NOT_FOUND");
      expectError(await as(owner).delete(`${pathOf(workspace)}/${wanted}`), "NOT_FOUND");
    }
    expect(await listed(workspace)).toEqual([]);
    expect(await listed(other)).toMatchObject([PLANNED]);
  });

  test("changes made at once are all kept, each with an event of its own", async () => {
    const { owner, workspace } = await make.workspace();
    const meetingPublicId = await saved(workspace, { title: "Weekly" });
    const wanted: Fields[] = [
      { scheduledAt: "2027-01-05T09:00:00.000Z" },
      { description: "All of it" },
      { callLink: "Room 4" },
      { recurrence: "daily" },
    ];

    const answers = await Promise.all(
      wanted.map((fields) => as(owner).put(pathOf(workspace), { meetingPublicId, title: "Weekly", ...fields })),
    );

    for (const res of answers) ok(res);
    expect(await listed(workspace)).toMatchObject([Object.assign({}, ...wanted)]);
    expect((await eventsOf(workspace)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("deleting", () => {
  test("a member deletes a meeting, with an event that names it", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const kept = await saved(workspace, { title: "Kept" });
    const meetingPublicId = await saved(workspace, PLANNED);
    const path = `${pathOf(workspace)}/${meetingPublicId}`;

    expect(ok(await as(member).delete(path))).toEqual({ success: true });

    expect((await listed(workspace)).map(({ publicId }) => publicId)).toEqual([kept]);
    expect((await eventsOf(workspace)).at(-1)).toEqual({
      seq: 3,
      type: "meeting.deleted",
      data: { meetingPublicId, title: "Weekly" },
      actor: member.publicId,
      board: null,
      card: null,
    });
    expectError(await as(member).delete(path), "NOT_FOUND");
    expectError(await as(member).put(pathOf(workspace), { meetingPublicId, title: "Back" }), "NOT_FOUND");
  });

  test("deleted twice at once, a meeting is deleted once, with one event", async () => {
    const { owner, workspace } = await make.workspace();
    const path = `${pathOf(workspace)}/${await saved(workspace, PLANNED)}`;

    const answers = await Promise.all([as(owner).delete(path), as(owner).delete(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await eventsOf(workspace)).map(({ type }) => type)).toEqual(["meeting.saved", "meeting.deleted"]);
  });

  test("a workspace can be deleted while its meetings are saved", async () => {
    const { owner, workspace } = await make.workspace();
    const meetingPublicId = await saved(workspace, PLANNED);

    const answers = await Promise.all([
      as(owner).put(pathOf(workspace), { title: "New" }),
      as(owner).put(pathOf(workspace), { title: "Renamed", meetingPublicId }),
      as(owner).delete(`/workspaces/${workspace.publicId}`),
      as(owner).put(pathOf(workspace), { title: "Late", meetingPublicId }),
      as(owner).delete(`${pathOf(workspace)}/${meetingPublicId}`),
    ]);

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(answers[2]?.status).toBe(200);
    expect(await db.rows(sql`select id from meeting where public_id = ${meetingPublicId}::text`)).toEqual([]);
  });
});
