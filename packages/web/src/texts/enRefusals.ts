// The texts in English about changes that the service refused.

import type { ChangePath, InputOf } from "work-board-client/board";

type Sentence = string | ((input: object) => string);

const said = (sentence: Sentence, input: object) => (typeof sentence === "string" ? sentence : sentence(input));

type EditedField = Exclude<keyof InputOf<"card.update">, "cardPublicId" | "listPublicId" | "index">;

/** For each field of an edit of a card, what was not saved. */
const fields: Record<EditedField, Sentence> = {
  title: "The new title was not saved.",
  description: "The description was not saved.",
  dueDate: "The due date was not changed.",
  priority: "The priority was not changed.",
  completed: (input) =>
    "completed" in input && input.completed === true ? "It was not completed." : "It was not reopened.",
};

function notEdited(input: object): string {
  const [, sentence = "It was not moved."] = Object.entries(fields).find(([name]) => name in input) ?? [];
  return said(sentence, input);
}

/** For each change, what was not saved. */
const lost: Record<ChangePath, Sentence> = {
  "card.create": "The new card was not added.",
  "card.update": notEdited,
  "card.delete": "It was not deleted.",
  "card.archive": "It was not archived.",
  "card.unarchive": "It was not restored.",
  "card.duplicate": "It was not copied.",
  "card.toggleLabel": "Its labels were not changed.",
  "card.toggleMember": "Its people were not changed.",
  "card.bulk.move": "The cards were not moved.",
  "card.bulk.update": "The cards were not changed.",
  "card.bulk.archive": "The cards were not archived.",
  "card.bulk.delete": "The cards were not deleted.",
  "card.checklists.create": "The new checklist was not added.",
  "card.checklists.update": "The new name of the checklist was not saved.",
  "card.checklists.delete": "The checklist was not deleted.",
  "card.checklists.addItem": "The new item was not added to its checklist.",
  "card.checklists.updateItem": "The item of its checklist was not changed.",
  "card.checklists.deleteItem": "The item of its checklist was not deleted.",
  "card.comments.create": "Your comment was not sent.",
  "card.comments.update": "Your comment was not changed.",
  "card.comments.delete": "The comment was not deleted.",
  "board.lists.create": "The new list was not added.",
  "board.lists.update": (input) => ("name" in input ? "The new name was not saved." : "The list was not moved."),
  "board.lists.delete": "The list was not deleted.",
  "board.labels.create": "The new label was not added.",
  "board.labels.update": "The label was not changed.",
  "board.labels.delete": "The label was not deleted.",
  "board.update": "The board was not changed.",
};

export const refusals = {
  changedMeanwhile: "Somebody else changed the description meanwhile: open the card to choose",
  andMore: (name: string, others: number) => `${name} and ${others} more`,
  copyText: "Copy the text",
  lost: (path: ChangePath, input: object): string => said(lost[path], input),
  reasons: {
    card: "The card was deleted, archived, or moved to another board.",
    cards: "Some of the cards were deleted, archived, or moved to another board.",
    list: "The list was deleted.",
    part: "Somebody else deleted it, or you may no longer change it.",
    archived: "The board was archived, and is read-only.",
    role: "You may no longer change this board.",
  },
  advice: {
    copy: "Copy the text if you still need it.",
    ask: "Ask an admin of the workspace for access.",
    look: "Look whether it was made, and make it again if not.",
    again: "Make it again if you still want it.",
    none: "You can dismiss this.",
  },
};
