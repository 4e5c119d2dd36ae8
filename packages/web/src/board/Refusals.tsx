import { OctagonAlert, X } from "lucide";
import type { BoardState, FollowedState } from "work-board-client/board";
import { useBoard } from "work-board-client/react";
import { Link, useLocation } from "wouter";
import { Icon } from "../parts/Icon.js";
import { later } from "../parts/later.js";
import { t } from "../texts/index.js";
import { FROM_PAGE } from "./addresses.js";
import { cardInConflict } from "./conflicts.js";
import { useShownBoard } from "./context.js";

const CopyButton = later(async () => ({ default: (await import("../parts/CopyButton.js")).CopyButton }));

type Refused = FollowedState["refused"][number];

/** The name of the thing that a change was about. */
function nameOf({ input, cardTitle }: Refused, board: BoardState | null): string {
  const { title, name, cardPublicId = "", listPublicId } = input as Partial<Record<string, string>>;
  const { cardPublicIds } = input as { cardPublicIds?: readonly string[] };
  const list = board?.lists.find(({ publicId }) => publicId === listPublicId);
  const one = board?.cards[cardPublicId]?.title ?? cardTitle ?? title ?? list?.name ?? name ?? board?.name ?? "";
  return cardPublicIds === undefined || cardPublicIds.length === 1
    ? one
    : t.board.andMore(one, cardPublicIds.length - 1);
}

/** The text that a change would have saved. It may stand nowhere else any more. */
function textOf({ input }: Refused): string | undefined {
  const { comment, description, title } = input as Partial<Record<string, string>>;
  return comment ?? description ?? title;
}

const reasonOf = (one: Refused): string =>
  cardInConflict(one) === null ? (one.issues[0]?.message ?? one.message) : t.board.changedMeanwhile;

/** An open card shows its conflict itself. */
const isShownAt = (address: string) => (one: Refused) => address !== `/cards/${cardInConflict(one)}`;

function CopyText({ of: one }: { of: Refused }) {
  const text = textOf(one);
  return text && <CopyButton text={text}>{t.board.copyText}</CopyButton>;
}

/** The changes that the service refused, each until it is dismissed. */
export function Refusals() {
  const { followed } = useShownBoard();
  const refused = useBoard(followed, (state) => state.refused);
  const board = useBoard(followed, (state) => state.board);
  const [address] = useLocation();
  return (
    <>
      {refused.filter(isShownAt(address)).map((one) => (
        <div key={one.key} className="toast bad" role="alert">
          <Icon of={OctagonAlert} />
          <span className="grow">{t.board.refused(nameOf(one, board), reasonOf(one))}</span>
          {cardInConflict(one) === null && <CopyText of={one} />}
          {cardInConflict(one) !== null && (
            <Link className="btn plain s" href={`/cards/${cardInConflict(one)}`} state={FROM_PAGE}>
              {t.card.open}
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
      ))}
    </>
  );
}
