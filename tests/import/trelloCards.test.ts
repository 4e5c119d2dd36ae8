// Guarantees of the import of cards from Trello: what a card says there is on the card here, or is told of.

import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { cardOf, commentOn, exportOf, reasons, trelloImportsInto } from "./trello.js";

const app = await testApp();
const { make } = app;
const { imported } = trelloImportsInto(app, await make.workspace());

describe("a card", () => {
  test("keeps due date and completion, from when its history tells it", async () => {
    const done = (id: string, date: string) => ({
      type: "updateCard",
      date,
      data: { old: { dueComplete: false }, card: { id, dueComplete: true } },
    });
    const due = "2024-05-01T10:00:00.000Z";
    const { answer, file } = await imported(
      exportOf({
        cards: [
          cardOf("told", { due, dueComplete: true }),
          cardOf("dated", { dueComplete: true, dateCompleted: "2024-04-03T00:00:00.000Z" }),
          cardOf("untold", { dueComplete: true }),
          cardOf("open", { due, dueComplete: false }),
          cardOf("odd", { due: "tomorrow" }),
        ],
        actions: [
          done("told", "2024-04-02T00:00:00.000Z"),
          done("told", "2024-04-01T00:00:00.000Z"),
          done("open", due),
        ],
      }),
    );
    const [notifications, dated, untold, open, odd] = file.cards;
    expect(notifications).toMatchObject({ dueDate: due, completedAt: "2024-04-02T00:00:00.000Z" });
    expect(dated?.completedAt).toBe("2024-04-03T00:00:00.000Z");
    expect(Date.parse(untold?.completedAt ?? "")).toBeGreaterThan(Date.UTC(2025, 0));
    expect(open?.completedAt).toBeNull();
    expect(odd?.dueDate).toBeNull();
    expect(reasons(answer, "invalidDate")).toEqual([[5, "tomorrow"]]);
  });

  test("keeps its checklists, wherever the export has them, and their items in order and state", async () => {
    const item = (name: string, state: string, pos: number) => ({ name, state, pos, due: null, idMember: null });
    const { answer, file } = await imported(
      exportOf({
        cards: [
          cardOf("a", {
            idChecklists: ["2", "1", "lost"],
            checklists: [{ id: "3", name: "On the card", pos: 3, checkItems: [] }],
          }),
        ],
        checklists: [
          {
            id: "1",
            name: "Later",
            idCard: "a",
            pos: 2,
            checkItems: [item("b", "complete", 2), item("a", "incomplete", 1)],
          },
          {
            id: "2",
            name: "Sooner",
            idCard: "a",
            pos: 1,
            checkItems: [{ ...item("c", "complete", 1), due: "2024-05-01" }],
          },
          { id: "4", name: "Of nothing", idCard: "z", checkItems: [] },
        ],
      }),
    );
    expect(file.cards[0]?.checklists).toEqual([
      { name: "Sooner", items: [{ title: "c", completed: true }] },
      {
        name: "Later",
        items: [
          { title: "a", completed: false },
          { title: "b", completed: true },
        ],
      },
      { name: "On the card", items: [] },
    ]);
    expect(answer.checklistItemsCreated).toBe(3);
    expect(reasons(answer, "noPlace")).toEqual([[1, "checkItems.due"]]);
    expect(reasons(answer, "danglingLink")).toEqual([
      [0, "checklists.idCard"],
      [1, "cards.idChecklists"],
    ]);
  });

  test("keeps its comments by name and time, oldest first, and tells of those that the export does not have", async () => {
    const { answer, file } = await imported(
      exportOf({
        cards: [cardOf("a", { badges: { comments: 3 } }), cardOf("b", { badges: { comments: 1 } })],
        actions: [
          commentOn("a", "second", "2024-02-02T00:00:00.000Z", { type: "copyCommentCard" }),
          commentOn("a", "first", "2024-02-01T00:00:00.000Z", { memberCreator: { username: "max" } }),
          commentOn("b", "x".repeat(20_001), "2024-02-03T00:00:00.000Z"),
          commentOn("elsewhere", "lost", "2024-02-03T00:00:00.000Z"),
        ],
      }),
    );
    expect(file.cards[0]?.comments).toMatchObject([
      { author: "max", comment: "first", createdAt: "2024-02-01T00:00:00.000Z", parentCommentPublicId: null },
      { author: "Ada Lovelace", comment: "second", createdAt: "2024-02-02T00:00:00.000Z" },
    ]);
    expect(file.cards[1]?.comments[0]?.comment).toHaveLength(20_000);
    expect(reasons(answer, "commentsMissing")).toEqual([[1, "2 of 3"]]);
    expect(reasons(answer, "valueTruncated")).toEqual([[2, "x".repeat(200)]]);
    expect(reasons(answer, "danglingLink")).toEqual([[0, "comments of cards that are not in the file"]]);
  });

  test("has what has no field here as lines below its description", async () => {
    const { answer, file } = await imported(
      exportOf({
        customFields: [{ id: "f", name: "Unused", type: "text" }],
        cards: [
          cardOf("a", {
            desc: "Kept\n",
            start: "2024-01-02T00:00:00Z",
            locationName: "Bath",
            address: "1 High\nStreet",
            attachments: [
              { name: "a [plan].pdf", url: "https://trello.com/1/plan(1).pdf", bytes: 7, isUpload: true },
              { name: "odd", url: "javascript:alert(1)" },
            ],
          }),
        ],
      }),
    );
    expect(file.cards[0]?.description).toBe(
      [
        "Kept\n\n",
        "- Start: 2024-01-02T00:00:00.000Z",
        "- Location: Bath, 1 High Street",
        "- [a \\[plan\\].pdf](<https://trello.com/1/plan(1).pdf>)",
        "- odd: javascript:alert(1)",
      ].join("\n"),
    );
    expect(reasons(answer, "movedToDescription")).toEqual([
      [1, "cards.start"],
      [1, "cards.locationName"],
      [1, "cards.attachments (2 times)"],
    ]);
    expect(reasons(answer, "noPlace")).toEqual([[0, "customFields: Unused, which no card has"]]);
  });

  test("that is too long is cut, and the whole title kept in the description", async () => {
    const name = "t".repeat(2001);
    const { answer, file } = await imported(
      exportOf({ cards: [cardOf("a", { name, desc: "d".repeat(50_001) }), cardOf("b", { name: "  " })] }),
    );
    expect(file.cards[0]?.title).toBe("t".repeat(2000));
    expect(file.cards[0]?.description).toBe(`${name}\n\n${"d".repeat(50_000 - 2003)}`);
    expect(file.cards[1]?.title).toBe("Untitled");
    expect(answer.warnings.map(({ rowNumber, reason }) => [rowNumber, reason])).toEqual([
      [1, "titleTruncated"],
      [1, "valueTruncated"],
      [2, "missingName"],
    ]);
  });
});
