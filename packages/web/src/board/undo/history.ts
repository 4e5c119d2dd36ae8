// The changes of an open board that can be taken back and made again. Loaded once the board stands.

import type { BoardState } from "work-board-client/board";
import { announce } from "../../parts/announce.js";
import type { OpenBoard } from "../openBoard.js";
import type { Change, Part } from "./inverse.js";
import { inverseOf } from "./inverses.js";
import { callsFor } from "./parts.js";
import { send } from "./sending.js";
import { takenBackByKey } from "./sentences.js";
import { Undoables } from "./undoables.js";

type Call = Parameters<Change>;

function undoablesOf({ followed }: OpenBoard): Undoables<Part> {
  const board = () => followed.state().board;
  /** Whether a card may come back by a change on its way, such as that which takes its archiving back. */
  const mayCome = (part: Part, now: BoardState) => !part.isThere(now) && followed.state().waiting > 0;
  const onBoard = (ask: (now: BoardState) => boolean): boolean => {
    const now = board();
    return now !== null && ask(now);
  };
  return new Undoables<Part>({
    isThere: (part) => onBoard((now) => part.isThere(now) || mayCome(part, now)),
    is: (part, side) => onBoard((now) => part[side].is(now) || mayCome(part, now)),
    make(parts, side) {
      const now = board();
      if (now === null) return;
      // A change that is refused is reported by the board itself.
      for (const call of callsFor(parts, now, side)) void send(followed, ...call).catch(() => {});
    },
  });
}

const histories = new WeakMap<OpenBoard, Undoables<Part>>();

/** The changes of an open board that can be taken back: the same ones when somebody comes back to it. */
export function historyOf(open: OpenBoard): Undoables<Part> {
  const known = histories.get(open) ?? undoablesOf(open);
  histories.set(open, known);
  return known;
}

interface Made {
  /** The board before the change. */
  before: BoardState | null;
  change: Call;
  answer: Promise<unknown>;
  sentence: string | undefined;
}

/** Tells a change that was made, and offers to take it back. */
export function note(open: OpenBoard, { before, change: [path, input], answer, sentence }: Made): void {
  const inverse = before && inverseOf(before, path, input);
  if (inverse === null) {
    if (sentence !== undefined) announce(sentence);
    return;
  }
  const history = historyOf(open);
  const id = history.offer(inverse);
  answer.catch(() => history.forget(id));
  announce(takenBackByKey(sentence ?? inverse.text));
}
