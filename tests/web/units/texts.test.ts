// Guarantees of texts that count and choose: one and many, and the sentence for each case.

import { describe, expect, test } from "vitest";
import { importTexts } from "../../../packages/web/src/texts/importTexts.js";
import { t } from "../../../packages/web/src/texts/index.js";
import { texts } from "../../../packages/web/src/texts/later.js";

test.each<[string, string]>([
  [t.board.cards(1), "1 card"],
  [t.board.cards(1234), "1,234 cards"],
  [t.board.reconnecting(0), "Reconnecting"],
  [t.board.reconnecting(2), "Reconnecting, 2 waiting"],
  [t.title("Boats"), "Boats · work-board"],
  [t.title("Boats", 3), "(3) Boats · work-board"],
  [t.list.deleteAsks("Ideas", 0), "Delete the list “Ideas”?"],
  [t.list.deleteAsks("Ideas", 1), "Delete the list “Ideas” and archive 1 card?"],
  [t.due.late(2), "2 days late"],
  [texts.moving.positionAt(1, 1), "1, at the top"],
  [texts.moving.positionAt(1, 3), "1, at the top"],
  [texts.moving.positionAt(2, 3), "2"],
  [texts.moving.positionAt(3, 3), "3, at the bottom"],
  [texts.search.found(0, 0), "No card and no board has these words."],
  [texts.search.found(1, 0), "1 card and 0 boards found"],
  [texts.search.found(0, 1), "0 cards and 1 board found"],
  [texts.settings.members.count(3, 0), "3"],
  [texts.settings.members.count(3, 1), "3, 1 invited"],
  [texts.account.notifications.before(0), "When they are due"],
  [texts.account.notifications.before(30), "30 minutes before"],
  [texts.account.notifications.before(60), "1 hour before"],
  [texts.account.notifications.before(180), "3 hours before"],
  [texts.account.notifications.before(1440), "1 day before"],
  [texts.account.notifications.before(2880), "2 days before"],
  [texts.account.notifications.hour(7), "07:00"],
  [importTexts.note("Row 2", "is empty", ""), "Row 2: is empty"],
  [importTexts.note("Row 2", "is unknown", "x"), "Row 2: is unknown: “x”"],
  [importTexts.atRow(2, null, "Wrong"), "Row 2: Wrong"],
  [importTexts.atRow(2, "Due", "Wrong"), "Row 2, column “Due”: Wrong"],
  [texts.filter.count(1, 3), "1 of 3 cards"],
  [texts.share.leaveText(false), "You lose access to the board until somebody adds you again."],
  [texts.notifications.what["card.due"](), "Due soon"],
  [texts.notifications.what["workspace.role.changed"]("Ada", "Harbour"), "Ada changed your role in Harbour"],
  [texts.unexpectedAccount.text(null).split(".")[0] ?? "", "Nobody signed in to this account on this page"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});

describe("before people lose a board", () => {
  const { lose, loseCards } = texts.share.visibility.questions;

  test("they are named, and those behind the named ones are counted", () => {
    expect(lose([], 0)).toBe("Nobody in the workspace loses access.");
    expect(lose(["Ada"], 1)).toBe("1 person loses access: Ada.");
    expect(lose(["Ada", "Bea"], 4)).toBe("4 people lose access: Ada, Bea, and 2 more.");
    expect(loseCards(0)).toBe("They are assigned to none of its open cards.");
    expect(loseCards(1)).toContain("taken off 1 card,");
  });
});

describe("an edit that was refused", () => {
  test.each<[object, string]>([
    [{ title: "x" }, "The new title was not saved."],
    [{ description: "x" }, "The description was not saved."],
    [{ dueDate: null }, "The due date was not changed."],
    [{ priority: "low" }, "The priority was not changed."],
    [{ completed: true }, "It was not completed."],
    [{ completed: false }, "It was not reopened."],
    [{ index: 1 }, "It was not moved."],
  ])("of %j: %s", (input, sentence) => {
    expect(texts.refusals.lost("card.update", input)).toBe(sentence);
  });

  test("of a list: its name, or its place", () => {
    expect(texts.refusals.lost("board.lists.update", { name: "x" })).toBe("The new name was not saved.");
    expect(texts.refusals.lost("board.lists.update", { index: 1 })).toBe("The list was not moved.");
  });
});
