// Changes that can be taken back for a while: each is remembered with its inverse, which is a change like any other.

import type { BoardState, ChangePath, FollowedBoard, InputOf } from "work-board-client/board";
import { storeOf } from "../../store.js";
import { t } from "../../texts/index.js";
import { peopleIn, personOn } from "../people.js";
import type { Change, Inverse } from "./inverse.js";
import { isSamePlace, placeOf } from "./places.js";

/** A change that can be taken back. */
export interface Undoable extends Pick<Inverse, "text" | "subject"> {
  readonly id: number;
  /** The thing that was changed: a followed board, or the workspace of a calendar. */
  readonly of: unknown;
  run(): void;
}

const OFFERED_MS = 8000;

/** The latest last. */
export const undoables = storeOf<readonly Undoable[]>([]);
let lastId = 0;

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

/** No longer offers to take a change back. */
export const forget = (id: number): void => undoables.set(undoables.get().filter((one) => one.id !== id));

/** Remembers a change for a while. Moves of one thing right behind each other are taken back as one. */
export function offer(change: Omit<Undoable, "id">): number {
  lastId += 1;
  const id = lastId;
  const latest = undoables.get().at(-1);
  const isSame = change.subject !== undefined && latest?.subject === change.subject && latest.of === change.of;
  const before = isSame ? undoables.get().slice(0, -1) : undoables.get();
  undoables.set([...before, { ...change, ...(isSame && { run: latest.run }), id }]);
  setTimeout(() => forget(id), OFFERED_MS);
  return id;
}

/** Makes a change, and offers to take it back if it is of a kind that can be. */
export function changeWithUndo(followed: FollowedBoard, ...change: Parameters<Change>): void {
  const { board } = followed.state();
  changeWithInverse(followed, board && inverseOf(board, change[0], change[1]), ...change);
}

/** Makes a change, and offers to take it back by its inverse. */
export function changeWithInverse(
  followed: FollowedBoard,
  inverse: Inverse | null,
  ...[path, input, options]: Parameters<Change>
): void {
  const changeOf: Change = (...[wanted, values, rest]) => {
    const { board } = followed.state();
    const people = board === null ? undefined : peopleIn(board, wanted, values);
    return followed.change(wanted, values, { ...rest, ...(people && { people }) });
  };
  const run = () => inverse?.run(changeOf);
  const id = inverse && offer({ ...inverse, of: followed, run });
  void changeOf(path, input, options).catch(() => {
    // A change that is refused is reported by the board itself.
    if (id !== null) forget(id);
  });
}

/** Takes a change back. */
export function takeBack({ id, run }: Undoable): void {
  forget(id);
  run();
}
