// Guarantees of the import of board files that are wrong: each is refused with the place of its first mistake.

import { describe, expect, test } from "vitest";
import { contentsOf, expectError, testApp } from "../helpers/app.js";
import { type BoardFile, changedFile, filesOf, richBoard } from "./boardFiles.js";

const app = await testApp();
const { as, db } = app;
const rich = await richBoard(app);
const { exported, send } = filesOf(as(rich.owner));
const original = await exported(rich.board.publicId);
const changed = (change: (file: BoardFile) => void) => changedFile(original, change);

describe("a file that is wrong is refused with the place, and nothing is made", () => {
  const [firstList, secondList] = original.lists.map(({ publicId }) => publicId);
  const withReplies = original.cards.findIndex(({ title }) => title === "=HYPERLINK(1)");

  test.each<[string, (file: BoardFile & Record<string, unknown>) => void, (string | number)[]]>([
    ["another format", (file) => Object.assign(file, { format: "trello" }), ["format"]],
    ["another version", (file) => Object.assign(file, { version: 2 }), ["version"]],
    ["an unknown field", (file) => Object.assign(file, { role: "admin" }), ["role"]],
    ["an unknown field of a card", (file) => Object.assign(file.cards[1] ?? {}, { votes: 1 }), ["cards", 1, "votes"]],
    ["no lists", (file) => Reflect.deleteProperty(file, "lists"), ["lists"]],
    [
      "a card of a list that the file does not have",
      (file) => Object.assign(file.cards[2] ?? {}, { listPublicId: rich.board.publicId }),
      ["cards", 2, "listPublicId"],
    ],
    [
      "an open card without a list",
      (file) => Object.assign(file.cards[0] ?? {}, { listPublicId: null }),
      ["cards", 0, "listPublicId"],
    ],
    [
      "a label that the file does not have",
      (file) => file.cards[0]?.labelPublicIds.push("nowhereAtAll"),
      ["cards", 0, "labelPublicIds", 0],
    ],
    [
      "an assignee who is none of the file's people",
      (file) => file.cards[0]?.memberPublicIds.push(rich.guest.publicId),
      ["cards", 0, "memberPublicIds", 0],
    ],
    ["a member who is none of them", (file) => file.memberPublicIds.unshift("nobodyAtAll1"), ["memberPublicIds", 0]],
    [
      "two lists of one identifier",
      (file) => Object.assign(file.lists[1] ?? {}, { publicId: firstList }),
      ["lists", 1, "publicId"],
    ],
    [
      "two cards of one identifier",
      (file) => Object.assign(file.cards[1] ?? {}, { publicId: file.cards[0]?.publicId }),
      ["cards", 1, "publicId"],
    ],
    [
      "a reply to a comment of another card",
      (file) => Object.assign(file.cards[withReplies]?.comments[1] ?? {}, { parentCommentPublicId: secondList }),
      ["cards", withReplies, "comments", 1, "parentCommentPublicId"],
    ],
    [
      "a reply to a later comment",
      (file) => {
        const comments = file.cards[withReplies]?.comments ?? [];
        Object.assign(comments[0] ?? {}, { parentCommentPublicId: comments[1]?.publicId });
      },
      ["cards", withReplies, "comments", 0, "parentCommentPublicId"],
    ],
    [
      "a reply to itself",
      (file) => {
        const [comment] = file.cards[withReplies]?.comments ?? [];
        Object.assign(comment ?? {}, { parentCommentPublicId: comment?.publicId });
      },
      ["cards", withReplies, "comments", 0, "parentCommentPublicId"],
    ],
    [
      "a title too long",
      (file) => Object.assign(file.cards[0] ?? {}, { title: "x".repeat(2001) }),
      ["cards", 0, "title"],
    ],
  ])("%s", async (_, change, path) => {
    const before = await contentsOf(db);
    const res = await send(rich.workspace, changed(change as (file: BoardFile) => void));
    expectError(res, "BAD_REQUEST", ["board", ...path]);
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a million mistakes are answered with the first", { tags: ["slow"] }, async () => {
    for (const wrong of [
      changed((file) => Object.assign(file, { cards: Array(1_000_000).fill({}) })),
      changed((file) => Object.assign(file, { cards: Array(15_000).fill({}) })),
      changed((file) => Object.assign(file.cards[0] ?? {}, { comments: Array(1_000_000).fill({}) })),
      changed((file) =>
        Object.assign(
          file.cards[0] ?? {},
          Object.fromEntries(
            Array(50_000)
              .fill(0)
              .map((_, n) => [n, n]),
          ),
        ),
      ),
    ]) {
      const res = await send(rich.workspace, wrong);
      expectError(res, "BAD_REQUEST");
      expect(res.text.length).toBeLessThan(10_000);
    }
  });

  test("more than an import takes is refused", async () => {
    const items = Array(10_001).fill({ title: "x", completed: false });
    const many = changed((file) => {
      const [card] = file.cards;
      if (card === undefined) return;
      card.checklists = [{ name: "Many", items }];
      file.cards = Array.from({ length: 10 }, (_, n) => ({ ...card, publicId: `copiedCard${10 + n}` }));
    });
    expectError(await send(rich.workspace, many), "BAD_REQUEST", ["board"]);
  });
});
