// A calendar reads its cards page by page, and loses none between two pages.

import { expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";

const { as, make } = await testApp();

test("more cards than are read at a time are all answered, though all are due at one instant", async () => {
  const { owner, workspace, board } = await make.board();
  for (const count of [2000, 100]) {
    const rows = Array.from({ length: count }, (_, n) => [`${n}`, "2027-01-15"]);
    const target = { workspacePublicId: workspace.publicId, boardPublicId: board.publicId, boardName: "None" };
    ok(await as(owner).post("/imports/csv/boards", { ...target, rows, mapping: { title: 0, dueDate: 1 } }));
  }
  const path = `/workspaces/${workspace.publicId}/calendar?anchor=2027-01-01`;
  const due = ok(await as(owner).get<{ cardNumber: number }[]>(path));
  expect(due.map(({ cardNumber }) => cardNumber)).toEqual(Array.from({ length: 2100 }, (_, n) => n + 1));
});
