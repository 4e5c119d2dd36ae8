// Guarantees of the import of assignees from CSV: how people are found by what a cell says, and who is told of them.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { newPublicId } from "../../src/db/ids.js";
import { ok, type Person, testApp } from "../helpers/app.js";
import { notificationsOn } from "../notification/received.js";
import { type Card, COLUMNS, cardsOf, importsOn } from "./imports.js";

const app = await testApp();
const { as, make, db } = app;
const { listOf } = notificationsOn(app);
const { importInto, boardOf, boardsIn, numbersIn } = importsOn(app);

describe("assignees", () => {
  test("are found by address, then by name, in any case; others are told once each", async () => {
    const { workspace } = await make.workspace();
    const ada = await make.member(workspace, "member", await make.user({ name: "Ada Lovelace" }));
    const bob = await make.member(workspace, "admin", await make.user({ name: "Bob" }));
    await make.member(workspace, "member", await make.user({ name: "Kim" }));
    await make.member(workspace, "member", await make.user({ name: "kim" }));
    const guest = await make.member(workspace, "guest", await make.user({ name: "Guest" }));
    const stranger = await make.user({ name: "Stranger" });
    await db.rows(sql`
      insert into member (workspace_id, id, public_id, invited_email, role)
      select id, 1000, ${newPublicId()}::text, 'pending@example.org', 'member' from workspace where public_id = ${workspace.publicId}::text`);
    const rows = [
      { title: "1", assignee: `${ada.email.toUpperCase()}; Nobody` },
      { title: "2", assignee: `ADA lovelace, ${ada.email}`, board: "Other" },
      { title: "3", assignee: " bob | Kim | nobody" },
      { title: "4", assignee: `${guest.email}, Guest, ${stranger.email}, pending@example.org`, board: "Other" },
      { title: "5", assignee: "Zed, NOBODY" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer.cardsAssigned).toBe(3);
    expect(answer.unmatchedAssignees).toEqual([
      "Nobody",
      "Kim",
      guest.email,
      "Guest",
      stranger.email,
      "pending@example.org",
      "Zed",
    ]);
    const cards = [...(await boardsIn(workspace)).values()].flatMap(cardsOf);
    const assigned = cards.map(({ title, members }) => [title, members.map(({ publicId }) => publicId)]);
    expect(Object.fromEntries(assigned)).toEqual({
      1: [ada.memberPublicId],
      2: [ada.memberPublicId],
      3: [bob.memberPublicId],
      4: [],
      5: [],
    });
  });

  test("are matched as a whole cell, then between semicolons and pipes, then one by one", async () => {
    const { workspace } = await make.workspace();
    const named = async (name: string) =>
      (await make.member(workspace, "member", await make.user({ name }))).memberPublicId;
    const ada = await named("Lovelace, Ada");
    const grace = await named("Hopper, Grace");
    const both = await named("Lovelace, Ada; Hopper, Grace");
    const kim = await named("Kim");
    const rows = [
      { title: "1", assignee: "lovelace, ada" },
      { title: "2", assignee: "Hopper, Grace; Lovelace, Ada" },
      { title: "3", assignee: "Lovelace, Ada; Hopper, Grace" },
      { title: "4", assignee: 'Kim, Ada, "Hopper, Grace"' },
      { title: "5", assignee: "Kim, Lovelace" },
    ];

    const answer = ok(await importInto(workspace, rows));

    expect(answer).toMatchObject({ cardsAssigned: 5, unmatchedAssignees: ["Ada", "Lovelace"] });
    const cards = cardsOf(await boardOf(workspace.owner, answer.boardPublicId));
    expect(cards.map(({ members }) => members.map(({ publicId }) => publicId).sort())).toEqual(
      [[ada], [grace, ada], [both], [kim, grace], [kim]].map((ids) => ids.sort()),
    );
  });

  test("are told by name alone to an importer who may not see addresses, but for the own address", async () => {
    const { workspace } = await make.workspace();
    const ada = await make.member(workspace, "member", await make.user({ name: "Ada" }));
    const bob = await make.member(workspace, "member", await make.user({ name: "Bob" }));
    const rows = [{ title: "1", assignee: `${ada.email}; ${bob.email}; ${workspace.owner.email}; Bob` }];
    const unmatchedBy = async (person: Person, dryRun: boolean) =>
      ok(await importInto(workspace, rows, { dryRun }, person)).unmatchedAssignees;
    expect(await unmatchedBy(ada, true)).toEqual([]);

    ok(await as(workspace.owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));

    for (const dryRun of [true, false]) {
      expect(await unmatchedBy(ada, dryRun)).toEqual([bob.email, workspace.owner.email]);
      expect(await unmatchedBy(workspace.owner, dryRun)).toEqual([]);
    }
    const assigned = (await numbersIn(workspace)).map(async ({ publicId }) => {
      const { members } = ok(await as(workspace.owner).get<Card>(`/cards/${publicId}`));
      return members.length;
    });
    expect(await Promise.all(assigned)).toEqual([2, 3]);
  });

  test("are notified once each, about the first of their cards, on new boards and on one that is there", async () => {
    const { workspace, board } = await make.board();
    const ada = await make.member(workspace, "member");
    const bob = await make.member(workspace, "member");
    const rows = [
      { title: "1" },
      { title: "2", assignee: `${ada.email}; ${workspace.owner.email}` },
      { title: "3", assignee: `${bob.email}; ${ada.email}`, board: "Other" },
      { title: "4", assignee: ada.email },
    ];
    ok(await importInto(workspace, rows, { dryRun: true }));
    ok(await importInto(workspace, rows));
    const mapping = { title: COLUMNS.indexOf("title"), assignee: COLUMNS.indexOf("assignee") };
    ok(await importInto(workspace, rows, { boardPublicId: board.publicId, mapping }));

    const assignmentsOf = async (person: Person) =>
      (await listOf(person, "?types=all")).map(({ type, card }) => [type, card?.title]);
    expect(await assignmentsOf(ada)).toEqual(Array(2).fill(["card.assigned", "2"]));
    expect(await assignmentsOf(bob)).toEqual(Array(2).fill(["card.assigned", "3"]));
    expect(await assignmentsOf(workspace.owner)).toEqual([]);
  });

  test("match nobody by a name that three members share", async () => {
    const { workspace } = await make.workspace();
    for (const name of ["Kim", "kim", "KIM"]) await make.member(workspace, "member", await make.user({ name }));
    const answer = ok(await importInto(workspace, [{ title: "1", assignee: "Kim" }]));
    expect(answer).toMatchObject({ cardsAssigned: 0, unmatchedAssignees: ["Kim"] });
  });

  test("an address comes before somebody's name", async () => {
    const { workspace } = await make.workspace();
    const ada = await make.member(workspace, "member");
    await make.member(workspace, "member", await make.user({ name: ada.email }));

    const { boardPublicId } = ok(await importInto(workspace, [{ title: "A", assignee: ada.email }]));

    const [card] = cardsOf(await boardOf(workspace.owner, boardPublicId));
    expect(card?.members.map(({ publicId }) => publicId)).toEqual([ada.memberPublicId]);
  });
});
