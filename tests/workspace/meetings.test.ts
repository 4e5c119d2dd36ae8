import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contentsOf, expectError, expectTrpcError, type Fields, ok, testApp, type Workspace } from "../helpers/app.js";
import type { Bearer } from "../helpers/requests.js";

const { as, anonymous, make, db, trpcClient } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Meeting {
  publicId: string;
  title: string;
  scheduledAt: string | null;
  description: string;
  callLink: string | null;
  recurrence: string;
  occurrences: string[];
}

const pathOf = ({ publicId }: Pick<Workspace, "publicId">) => `/workspaces/${publicId}/meetings`;

const listed = async (workspace: Workspace, query: Record<string, string> = {}) =>
  ok(await as(workspace.owner).get<Meeting[]>(`${pathOf(workspace)}?${new URLSearchParams(query)}`));

const eventsOf = ({ publicId }: Workspace) =>
  db.rows<{ seq: number; type: string; data: Fields; actor: string; board: string | null; card: string | null }>(sql`
    select e.seq, e.type, e.data, a.public_id as actor, e.board_public_id as board, e.card_public_id as card
    from event e join workspace w on w.id = e.workspace_id join account a on a.id = e.actor_id
    where w.public_id = ${publicId}::text and e.type like 'meeting.%' order by e.seq`);

/** Saves a meeting as an admin, or as whoever is named, and gives its identifier. */
async function saved(workspace: Workspace, fields: Fields, by: Bearer = workspace.owner): Promise<string> {
  const body = ok(await as(by).put<{ publicId: string }>(pathOf(workspace), fields));
  expect(body).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/) });
  return body.publicId;
}

const PLANNED = {
  title: "Weekly",
  scheduledAt: "2027-01-05T09:00:00.000Z",
  description: " What is open ",
  callLink: "https://meet.example.org/w?pwd=1",
  recurrence: "weekly",
};

/** Everyone but those who may write: a guest of the workspace, a stranger, a read token of its admin. */
async function bystandersOf(workspace: Workspace) {
  return [
    await make.member(workspace, "guest"),
    await make.user(),
    await make.token(workspace.owner, { scope: "read" }),
  ];
}

describe("creating", () => {
  test("a member plans a meeting, with an event that names it", async () => {
    const { workspace } = await make.workspace();
    const member = await make.member(workspace, "member");

    const publicId = await saved(workspace, { ...PLANNED, title: "  Weekly " }, member);

    expect(await listed(workspace)).toEqual([{ publicId, ...PLANNED, occurrences: [] }]);
    expect(await eventsOf(workspace)).toEqual([
      {
        seq: 1,
        type: "meeting.saved",
        data: { meetingPublicId: publicId, title: "Weekly" },
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
      "data: room 3",
    ];
    for (const callLink of links) await saved(workspace, { title: "Fine", callLink });
    expect((await listed(workspace)).map(({ callLink }) => callLink)).toEqual(links);

    for (const callLink of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\tscript:alert(1)",
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

describe("listing", () => {
  test("meetings come by time, those of one time by creation, those not yet planned last", async () => {
    const { workspace } = await make.workspace();
    for (const [title, scheduledAt] of [
      ["fourth", null],
      ["second", "2027-01-05T09:00:00.000Z"],
      ["fifth", null],
      ["third", "2027-01-05T09:00:00.000Z"],
      ["first", "2026-01-05T09:00:00.000Z"],
    ]) {
      await saved(workspace, { title, scheduledAt });
    }
    await saved((await make.workspace()).workspace, { title: "elsewhere" });
    expect((await listed(workspace)).map(({ title }) => title)).toEqual([
      "first",
      "second",
      "third",
      "fourth",
      "fifth",
    ]);
  });

  test("members see them, with read tokens too; guests and strangers do not", async () => {
    const { owner, workspace } = await make.workspace();
    await saved(workspace, PLANNED);
    const path = pathOf(workspace);

    for (const person of [await make.member(workspace, "member"), await make.token(owner, { scope: "read" })]) {
      expect(ok(await as(person).get(path))).toEqual(await listed(workspace));
    }
    expectError(await as(await make.member(workspace, "guest")).get(path), "FORBIDDEN");
    expectError(await as(await make.user()).get(path), "FORBIDDEN");
    expectError(await anonymous.get(path), "UNAUTHORIZED");
    expectError(await as(owner).get(`/workspaces/${UNKNOWN}/meetings`), "NOT_FOUND");
    const client = trpcClient(owner).workspace.meetings;
    expect(await client.list.query({ workspacePublicId: workspace.publicId })).toEqual(await listed(workspace));
    await expectTrpcError(client.list.query({ workspacePublicId: UNKNOWN }), "NOT_FOUND");
  });

  test("in a range each meeting has its occurrences, and without one has none", async () => {
    const { workspace } = await make.workspace();
    const first = "2027-01-31T18:00:00.000Z";
    for (const recurrence of ["none", "daily", "weekly", "biweekly", "monthly"]) {
      await saved(workspace, { title: recurrence, scheduledAt: first, recurrence });
    }
    await saved(workspace, { title: "unplanned", recurrence: "daily" });
    const range = { from: "2027-01-31T18:00:00.000Z", to: "2027-03-31T18:00:00.000Z" };

    const meetings = await listed(workspace, range);
    const occurrences = Object.fromEntries(meetings.map((meeting) => [meeting.title, meeting.occurrences]));

    expect(occurrences.none).toEqual([first]);
    expect(occurrences.daily).toHaveLength(59);
    expect(occurrences.weekly).toHaveLength(9);
    expect(occurrences.biweekly).toEqual(
      [31, 45, 59, 73, 87].map((day) => new Date(Date.UTC(2027, 0, day, 18)).toISOString()),
    );
    expect(occurrences.monthly).toEqual([first, "2027-02-28T18:00:00.000Z"]);
    expect(occurrences.unplanned).toEqual([]);
    expect((await listed(workspace)).flatMap((meeting) => meeting.occurrences)).toEqual([]);
    expect((await listed(workspace, { from: "2026-01-01", to: "2026-12-31" })).map(({ title }) => title)).toHaveLength(
      6,
    );
  });

  test("a range needs both ends in order, at most 366 days apart", async () => {
    const { owner, workspace } = await make.workspace();
    const get = (query: Record<string, string>) => as(owner).get(`${pathOf(workspace)}?${new URLSearchParams(query)}`);

    expectError(await get({ from: "2027-01-01" }), "BAD_REQUEST", "to");
    expectError(await get({ to: "2027-01-01" }), "BAD_REQUEST", "from");
    expectError(await get({ from: "2027-01-01", to: "2027-01-01" }), "BAD_REQUEST", "to");
    expectError(await get({ from: "2027-01-02", to: "2027-01-01" }), "BAD_REQUEST", "to");
    expectError(await get({ from: "2027-01-01", to: "2028-01-02T00:00:00.001Z" }), "BAD_REQUEST", "to");
    expectError(await get({ from: "2027-02-30", to: "2027-03-05" }), "BAD_REQUEST", "from");
    ok(await get({ from: "2027-01-01", to: "2028-01-02" }));
    ok(await get({ from: "2027-01-01T00:00:00.000Z", to: "2027-01-01T02:00:00.001+02:00" }));
  });

  test("a workspace has at most 200 meetings, and an answer at most 5000 occurrences", async () => {
    const { owner, workspace } = await make.workspace();
    const daily = { scheduledAt: "2026-01-01", recurrence: "daily" };
    for (let n = 0; n < 20; n += 1) {
      const titles = Array.from({ length: 10 }, (_, m) => `Meeting ${n} ${m}`);
      await Promise.all(titles.map((title) => saved(workspace, { title, ...daily })));
    }

    expectError(await as(owner).put(pathOf(workspace), { title: "One more" }), "BAD_REQUEST");

    const whole = await listed(workspace, { from: "2026-01-01", to: "2026-01-26" });
    expect(whole.flatMap(({ occurrences }) => occurrences)).toHaveLength(5000);
    const tooMany = await as(owner).get(`${pathOf(workspace)}?from=2026-01-01&to=2026-01-27`);
    expectError(tooMany, "BAD_REQUEST", "to");
    const { publicId: meetingPublicId = "" } = whole[0] ?? {};
    ok(await as(owner).put(pathOf(workspace), { meetingPublicId, title: "Renamed" }));
  });

  test("a daily meeting since the year 1 is answered in the days of 9999", async () => {
    const { workspace } = await make.workspace();
    await saved(workspace, { title: "Eternal", scheduledAt: "0001-01-01", recurrence: "daily" });

    const [meeting] = await listed(workspace, { from: "9999-01-01", to: "9999-12-31T23:59:59.999Z" });

    expect(meeting?.occurrences).toHaveLength(365);
    expect(meeting?.occurrences.at(-1)).toBe("9999-12-31T00:00:00.000Z");
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
