// Meetings as they are listed: in which order, to whom, and with which occurrences in a range.

import { describe, expect, test } from "vitest";
import { expectError, expectTrpcError, ok, testApp } from "../helpers/app.js";
import { meetingsOn, PLANNED, pathOf } from "./meetings.js";

const app = await testApp();
const { as, anonymous, make, trpcClient } = app;
const { listed, saved } = meetingsOn(app);

const UNKNOWN = "AAAAAAAAAAAA";

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
