// The changes that the service refused. Loaded once the board is there.

import { OctagonAlert, X } from "lucide";
import type { BoardState, Refused } from "work-board-client/board";
import { useBoard } from "work-board-client/react";
import { Link } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { CopyButton } from "../parts/CopyButton.js";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { cardInConflict } from "./conflicts.js";
import { useShownBoard } from "./context.js";

interface Names {
  title?: string;
  name?: string;
  cardPublicId?: string;
  cardPublicIds?: readonly string[];
  listPublicId?: string;
}

/** The name of the thing that a change was about. */
function nameOf({ input, cardTitle }: Refused, board: BoardState | null): string {
  const { title, name, cardPublicId = "", cardPublicIds, listPublicId }: Names = input;
  const list = board?.lists.find(({ publicId }) => publicId === listPublicId);
  const one = board?.cards[cardPublicId]?.title ?? cardTitle ?? title ?? list?.name ?? name ?? board?.name ?? "";
  return cardPublicIds === undefined || cardPublicIds.length === 1
    ? one
    : texts.refusals.andMore(one, cardPublicIds.length - 1);
}

/** The text that a change would have saved. It may stand nowhere else any more. */
function textOf({ input }: Refused): string | undefined {
  const { comment, description, title } = input as Partial<Record<string, string>>;
  return comment ?? description ?? title;
}

/** The thing of a change that left the board, or that the reader may no longer change; null if that is not the reason. */
function reasonOnBoard({ code, path, input }: Refused, board: BoardState): keyof typeof texts.refusals.reasons | null {
  // The service answers a call that creates something below a missing thing as FORBIDDEN, too.
  if (code !== "NOT_FOUND" && code !== "FORBIDDEN") return board.isArchived ? "archived" : null;
  const { cardPublicId, cardPublicIds = [], listPublicId }: Names = input;
  const isGone = (id: string) => board.cards[id]?.isGone !== false;
  if (cardPublicId !== undefined && isGone(cardPublicId)) return "card";
  if (cardPublicIds.some(isGone)) return cardPublicIds.length === 1 ? "card" : "cards";
  if (listPublicId !== undefined && !board.lists.some(({ publicId }) => publicId === listPublicId)) return "list";
  if (board.isArchived) return "archived";
  const permission = path.startsWith("card.") ? "card:edit" : "board:edit";
  return board.me.permissions.includes(permission) ? "part" : "role";
}

const asSentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** The thing of a refused change, the reason, what was not saved, and what to do. */
function sentencesOf(one: Refused, board: BoardState | null): string {
  if (cardInConflict(one) !== null) return texts.refusals.changedMeanwhile;
  const { reasons, advice, lost } = texts.refusals;
  const known = board && reasonOnBoard(one, board);
  const reason = known === null ? (one.issues[0]?.message ?? one.message) : reasons[known];
  return [asSentence(reason), lost(one.path, one.input), advice[adviceOn(one, known)]].join(" ");
}

function adviceOn(one: Refused, reason: ReturnType<typeof reasonOnBoard>): keyof typeof texts.refusals.advice {
  if (textOf(one) !== undefined) return "copy";
  if (reason === "role" || reason === "archived") return "ask";
  if (reason !== null) return "none";
  return one.code === null ? "look" : "again";
}

export default function RefusalList({ refused }: { refused: readonly Refused[] }) {
  const { followed } = useShownBoard();
  const board = useBoard(followed, (state) => state.board);
  return refused.map((one) => {
    const conflict = cardInConflict(one);
    const text = textOf(one);
    return (
      <div key={one.key} className="toast bad" role="alert">
        <Icon of={OctagonAlert} />
        <span className="grow">
          <b dir="auto">{nameOf(one, board)}</b>
          <span>{`: ${sentencesOf(one, board)}`}</span>
        </span>
        {conflict === null && text && <CopyButton text={text}>{texts.refusals.copyText}</CopyButton>}
        {conflict !== null && (
          <Link className="btn plain s" href={`/cards/${conflict}`} state={FROM_PAGE}>
            {texts.card.open}
          </Link>
        )}
        <button
          type="button"
          className="btn plain icon s"
          aria-label={t.dismiss}
          onClick={() => followed.dismiss(one.key)}
        >
          <Icon of={X} />
        </button>
      </div>
    );
  });
}
