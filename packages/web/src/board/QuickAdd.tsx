import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import { announce } from "../parts/announce.js";
import { GrowingField } from "../parts/GrowingField.js";
import { takeFocus } from "../parts/takeFocus.js";
import { isSessionOver } from "../requests.js";
import { t } from "../texts/index.js";
import * as cardStyles from "./BoardCard.module.css";
import { useChange, useShownBoard } from "./context.js";
import { focusList } from "./focus.js";
import { linesOf, takeLines } from "./lines.js";
import * as styles from "./QuickAdd.module.css";

const TITLE_MAX = 2000;
/** The list stays at its end for this many frames: a long one measures its cards once they are in view, and scrolls by the difference. */
const FRAMES_TO_MEASURE = 20;

/** Shows the end of what the cards of a list scroll in, where new cards go. */
function showEnd({ current: cards }: RefObject<HTMLElement | null>): void {
  const show = (frames: number) => {
    cards?.scrollTo({ top: cards.scrollHeight });
    if (frames > 1) requestAnimationFrame(() => show(frames - 1));
  };
  requestAnimationFrame(() => show(FRAMES_TO_MEASURE));
}

/** A button that keeps the focus in the field, and with it the keyboard of a phone. */
const keepFocus = (event: PointerEvent) => event.preventDefault();

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  /** The element in which the cards of the list scroll. */
  scroller: RefObject<HTMLElement | null>;
  listPublicId: string;
  close: () => void;
}

/**
 * The field for new cards. Enter adds a card for each line and keeps the field; what is typed right after it is the next title. Where the
 * pointer is a finger, buttons do the same.
 */
export function QuickAdd({ field: ref, scroller, listPublicId, close }: Props) {
  const { followed, open } = useShownBoard();
  const change = useChange();
  const [count, setCount] = useState(0);
  const [isFull, setFull] = useState(false);
  useLayoutEffect(() => {
    takeFocus(ref.current);
    showEnd(scroller);
  }, [ref, scroller]);
  const end = () => {
    flushSync(close);
    focusList(open, listPublicId);
  };
  const add = () => {
    const field = ref.current;
    if (field === null) return;
    const added: string[] = [];
    const make = (title: string) => {
      added.push(title);
      change("card.create", { listPublicId, title });
    };
    setFull(takeLines(field, followed, TITLE_MAX, make));
    const list = followed.state().board?.lists.find(({ publicId }) => publicId === listPublicId);
    const size = list?.cardIds.length ?? 0;
    if (added.length > 0) announce(t.board.added(added, t.moving.place(size, size, list?.name ?? "")));
    showEnd(scroller);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") end();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    add();
  };
  return (
    <div className={styles.compose}>
      <GrowingField
        ref={ref}
        aria-label={t.board.titleOfNewCard}
        placeholder={t.board.titlePlaceholder}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => setCount(linesOf(currentTarget.value, TITLE_MAX).length)}
        onBlur={({ currentTarget }) => {
          // Who signs in again comes back to it.
          if (currentTarget.value.trim() === "" && !isSessionOver.get()) close();
        }}
      />
      {isFull && (
        <p className="error" role="alert">
          {t.board.full}
        </p>
      )}
      <Foot count={count} end={end} add={add} />
    </div>
  );
}

/** The number of new cards, and what adds them: keys, or buttons for a finger. */
function Foot({ count, end, add }: { count: number; end: () => void; add: () => void }) {
  return (
    <div className={cardStyles.meta}>
      <span>{count > 1 ? t.board.cards(count) : ""}</span>
      <span className="grow" />
      <span className={styles.byKey} aria-hidden="true">
        <kbd>Enter</kbd>
        <span>{t.board.add}</span>
      </span>
      <span className={styles.byKey} aria-hidden="true">
        <kbd>Esc</kbd>
        <span>{t.board.close}</span>
      </span>
      <button type="button" className={`btn plain s ${styles.byTouch}`} onPointerDown={keepFocus} onClick={end}>
        {t.card.close}
      </button>
      <button type="button" className={`btn primary s ${styles.byTouch}`} onPointerDown={keepFocus} onClick={add}>
        {t.board.addCards}
      </button>
    </div>
  );
}
