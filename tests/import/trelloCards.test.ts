// Guarantees of the import of cards from Trello: what a card says there is on the card here, or is told of.

import { describe, expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { cardOf, commentOn, exportOf, reasons, trelloId, trelloImportsInto } from "./trello.js";

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

  test("is completed and archived when the file dates it, else when its history last did so, in whatever order", async () => {
    const update = (id: string, date: string, fields: object, type = "updateCard") => ({
      type,
      date,
      data: { card: { id, closed: true, dueComplete: true }, old: fields },
    });
    const at = (day: number) => `2024-04-0${day}T00:00:00.000Z`;
    const done = { closed: true, dueComplete: true };
    const { file } = await imported(
      exportOf({
        cards: [
          cardOf("twice", done),
          cardOf("twice, newest first", done),
          cardOf("dated", { ...done, dateClosed: at(1), dateCompleted: at(2) }),
        ],
        actions: [
          update("twice", at(3), { closed: false }),
          update("twice", at(4), { closed: false, dueComplete: false }),
          update("twice", at(5), { name: "before" }),
          update("twice", at(6), { closed: false, dueComplete: false }, "updateChecklist"),
          update("twice, newest first", at(4), { closed: false, dueComplete: false }),
          update("twice, newest first", at(3), { closed: false, dueComplete: false }),
          update("dated", at(3), { closed: false, dueComplete: false }),
        ],
      }),
    );
    const times = new Map(file.cards.map(({ title, completedAt, archivedAt }) => [title, [completedAt, archivedAt]]));
    expect(times.get("twice")).toEqual([at(4), at(4)]);
    expect(times.get("twice, newest first")).toEqual([at(4), at(4)]);
    expect(times.get("dated")).toEqual([at(2), at(1)]);
  });

  test("was made when its identifier says so, and now where that says nothing that can be", async () => {
    const begun = new Date().toISOString();
    const idAt = (iso: string, rest = "0".repeat(16)) =>
      `${(Date.parse(iso) / 1000).toString(16).padStart(8, "0")}${rest}`;
    const untold = [
      idAt("1970-02-01T00:00:00.000Z"),
      idAt("2010-12-31T23:59:59.000Z"),
      idAt("2100-01-01T00:00:00.000Z"),
      idAt("2020-01-01T00:00:00.000Z", "0".repeat(17)),
      "short",
    ];
    const first = "2011-01-01T00:00:00.000Z";
    const { file } = await imported(exportOf({ cards: [...untold, idAt(first)].map((id) => cardOf(id)) }));
    const made = file.cards.map(({ createdAt }) => createdAt);
    expect(made.at(-1)).toBe(first);
    const ended = new Date().toISOString();
    expect(made.slice(0, -1).filter((createdAt) => createdAt < begun || createdAt > ended)).toEqual([]);
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

  test("keeps the name of an author that the members alone have, the time of an edit, and a comment without text", async () => {
    const by = (fields: object) => ({ memberCreator: null, ...fields });
    const long = "n".repeat(300);
    const { file } = await imported(
      exportOf({
        members: [{ id: "max", fullName: "", username: "max" }],
        cards: [cardOf("a")],
        actions: [
          commentOn("a", "", "2024-02-01T00:00:00.000Z", by({ idMemberCreator: "max" })),
          commentOn("a", "anonymous", "2024-02-02T00:00:00.000Z", by({})),
          commentOn("a", "long", "2024-02-03T00:00:00.000Z", { memberCreator: { fullName: ` ${long}` } }),
          {
            ...commentOn("a", "undated", "", { id: trelloId(9_000_000) }),
            data: { text: "undated", card: { id: "a" } },
          },
          {
            ...commentOn("a", "", "2024-05-01T00:00:00.000Z"),
            data: { text: "edited", card: { id: "a" }, dateLastEdited: "2024-05-02T00:00:00.000Z" },
          },
        ],
      }),
    );
    const said = file.cards[0]?.comments.map(({ author, comment, createdAt, editedAt }) => [
      author,
      comment,
      createdAt.slice(0, 10),
      editedAt,
    ]);
    expect(said).toEqual([
      ["max", "(no text)", "2024-02-01", null],
      ["Unknown", "anonymous", "2024-02-02", null],
      [long.slice(0, 255), "long", "2024-02-03", null],
      ["Ada Lovelace", "undated", "2024-04-15", null],
      ["Ada Lovelace", "edited", "2024-05-01", "2024-05-02T00:00:00.000Z"],
    ]);
  });

  test("has its custom fields in their order on the board, each as people read it", async () => {
    const field = (id: string, pos: number, options: object[] = []) => ({ id, name: id, type: "text", pos, options });
    const { answer, file } = await imported(
      exportOf({
        customFields: [
          field("Last", 9),
          field("Choice", 2, [{ id: "o", value: { text: "Up" } }]),
          { ...field("Flag", 1), icon: "star" },
          field("Day", 3),
          field("Empty", 4),
        ],
        cards: [
          cardOf("a", {
            start: "next\nweek",
            customFieldItems: [
              { idCustomField: "Last", value: { number: "7" } },
              { idCustomField: "Day", value: { date: "2024-01-02T02:00:00+02:00" } },
              { idCustomField: "Choice", idValue: "gone" },
              { idCustomField: "Flag", value: { checked: "false" } },
              { idCustomField: "Empty", value: {} },
              { idCustomField: "nowhere", value: { text: "lost" } },
            ],
            attachments: [{ name: "", url: "https://example.org/a", stars: 5 }],
          }),
        ],
      }),
    );
    expect(file.cards[0]?.description).toBe(
      [
        "- Start: next week",
        "- Flag: no",
        "- Choice: gone",
        "- Day: 2024-01-02T00:00:00.000Z",
        "- Last: 7",
        "- [https://example.org/a](<https://example.org/a>)",
      ].join("\n"),
    );
    expect(reasons(answer, "unknownField")).toEqual([
      [0, "customFields.icon"],
      [1, "attachments.stars"],
    ]);
    expect(reasons(answer, "danglingLink")).toEqual([[1, "cards.customFieldItems.idCustomField"]]);
    expect(reasons(answer, "noPlace")).toEqual([[0, "customFields: Empty, which no card has"]]);
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

  test("of a title that is as long as titles are keeps it, counted as people count", async () => {
    const whole = "🚀".repeat(2000);
    const spaced = `${"t".repeat(1999)} ${"t".repeat(50)}`;
    const { answer, file } = await imported(
      exportOf({ cards: [cardOf("a", { name: whole }), cardOf("b", { name: spaced })] }),
    );
    expect(file.cards.map(({ title, description }) => [title, description])).toEqual([
      [whole, ""],
      ["t".repeat(1999), spaced],
    ]);
    expect(reasons(answer, "titleTruncated").map(([row]) => row)).toEqual([2]);
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
