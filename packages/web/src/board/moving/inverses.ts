// Changes of a board, and the inverse by which each is taken back, which is a change like any other.

import type { BoardState, ChangePath, InputOf } from "work-board-client/board";
import { t } from "../../texts/index.js";
import type { OpenBoard } from "../openBoard.js";
import { peopleIn, personOn } from "../people.js";
import type { Change, Inverse } from "./inverse.js";
import { isSamePlace, placeOf } from "./places.js";

const TITLE_MAX = 60;

/** A card as texts name it: its title, which may be cut, and its number. */
function nameOf({ cards, workspace }: BoardState, cardPublicId: string): string {
  const { title = "", cardNumber = 0 } = cards[cardPublicId] ?? {};
  const characters = [...title];
  const name = characters.length > TITLE_MAX ? `${characters.slice(0, TITLE_MAX).join("").trimEnd()}…` : title;
  return cardNumber > 0 ? `${name} (${workspace.cardPrefix}-${cardNumber})` : name;
}

function moved(board: BoardState, input: InputOf<"card.update">): Inverse | null {
  const { cardPublicId } = input;
  const from = placeOf(board.lists, cardPublicId);
  if (from === null) return null;
  const to = { listPublicId: from.listPublicId, index: Number.POSITIVE_INFINITY, ...input };
  if (isSamePlace(from, to)) return null;
  const list = board.lists.find(({ publicId }) => publicId === to.listPublicId);
  const card = nameOf(board, cardPublicId);
  return {
    text: list === undefined ? t.undo.movedAway(card) : t.undo.moved(card, list.name),
    subject: `place of ${cardPublicId}`,
    run: (change) => void change("card.update", { cardPublicId, ...from }),
  };
}

function completed(board: BoardState, { cardPublicId, completed: isDone }: InputOf<"card.update">): Inverse | null {
  const wasDone = board.cards[cardPublicId]?.completedAt != null;
  if (isDone === undefined || isDone === wasDone) return null;
  return {
    text: (isDone ? t.undo.completed : t.undo.reopened)(nameOf(board, cardPublicId)),
    run: (change) => void change("card.update", { cardPublicId, completed: wasDone }),
  };
}

/** The inverse of each change that has one. Null where nothing changes. */
const INVERSES: { [Path in ChangePath]?: (board: BoardState, input: InputOf<Path>) => Inverse | null } = {
  "card.update": (board, input) =>
    input.listPublicId !== undefined || input.index !== undefined ? moved(board, input) : completed(board, input),
  "card.archive": (board, { cardPublicId }) => {
    const from = placeOf(board.lists, cardPublicId);
    if (from === null) return null;
    return {
      text: t.undo.archived(nameOf(board, cardPublicId)),
      run(change) {
        void change("card.unarchive", { cardPublicId });
        void change("card.update", { cardPublicId, ...from });
      },
    };
  },
  "card.toggleLabel": (board, { cardPublicId, labelPublicId, on }) => {
    const wasOn = board.cards[cardPublicId]?.labelIds.includes(labelPublicId) === true;
    if (on === wasOn) return null;
    const label = board.labels.find(({ publicId }) => publicId === labelPublicId)?.name ?? "";
    return {
      text: (wasOn ? t.undo.unlabelled : t.undo.labelled)(nameOf(board, cardPublicId), label),
      run: (change) => void change("card.toggleLabel", { cardPublicId, labelPublicId, on: wasOn }),
    };
  },
  "card.toggleMember": (board, { cardPublicId, memberPublicId, on }) => {
    const wasOn = board.cards[cardPublicId]?.members.some(({ publicId }) => publicId === memberPublicId) === true;
    if (on === wasOn) return null;
    const person = personOn(board, memberPublicId)?.name ?? "";
    return {
      text: (wasOn ? t.undo.unassigned : t.undo.assigned)(nameOf(board, cardPublicId), person),
      run: (change) => void change("card.toggleMember", { cardPublicId, memberPublicId, on: wasOn }),
    };
  },
  "board.lists.update": (board, { listPublicId, index }) => {
    const from = board.lists.findIndex(({ publicId }) => publicId === listPublicId);
    const name = board.lists[from]?.name;
    if (index === undefined || index === from || name === undefined) return null;
    return {
      text: t.undo.movedList(name),
      subject: `place of ${listPublicId}`,
      run: (change) => void change("board.lists.update", { listPublicId, index: from }),
    };
  },
};

function inverseOf<Path extends ChangePath>(board: BoardState, path: Path, input: InputOf<Path>): Inverse | null {
  return INVERSES[path]?.(board, input) ?? null;
}

/** Makes a change, and offers to take it back if it is of a kind that can be. */
export function changeWithUndo(open: OpenBoard, ...change: Parameters<Change>): void {
  const { board } = open.followed.state();
  changeWithInverse(open, board && inverseOf(board, change[0], change[1]), ...change);
}

/** Makes a change, and offers to take it back by its inverse. */
export function changeWithInverse(
  { followed, undoables }: OpenBoard,
  inverse: Inverse | null,
  ...[path, input, options]: Parameters<Change>
): void {
  const changeOf: Change = (...[wanted, values, rest]) => {
    const { board } = followed.state();
    const people = board === null ? undefined : peopleIn(board, wanted, values);
    return followed.change(wanted, values, { ...rest, ...(people && { people }) });
  };
  const run = () => inverse?.run(changeOf);
  const id = inverse && undoables.offer({ ...inverse, run });
  void changeOf(path, input, options).catch(() => {
    // A change that is refused is reported by the board itself.
    if (id !== null) undoables.forget(id);
  });
}
