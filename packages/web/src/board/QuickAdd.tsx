import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { takeFocus } from "../parts/takeFocus.js";
import { isSessionOver } from "../requests.js";
import { t } from "../texts/index.js";
import { useChange, useShownBoard } from "./context.js";
import { focusList } from "./focus.js";
import { linesOf, takeLines } from "./lines.js";

const TITLE_MAX = 2000;
/** The list stays at its end for this many frames: a long one measures its cards once they are in view, and scrolls by the difference. */
const FRAMES_TO_MEASURE = 20;

/** Shows the end of the list of a field, where new cards go. */
function showEnd(field: HTMLElement): void {
  const cards = field.closest("section")?.querySelector(".cards");
  const show = (frames: number) => {
    cards?.scrollTo({ top: cards.scrollHeight });
    if (frames > 1) requestAnimationFrame(() => show(frames - 1));
  };
  requestAnimationFrame(() => show(FRAMES_TO_MEASURE));
}

/** A button that keeps the focus in the field, and with it the keyboard of a phone. */
const keepFocus = (event: PointerEvent) => event.preventDefault();

/**
 * The field for new cards. Enter adds a card for each line and keeps the field; what is typed right after it is the next title. Where the
 * pointer is a finger, buttons do the same.
 */
export function QuickAdd({ listPublicId, close }: { listPublicId: string; close: () => void }) {
  const { followed } = useShownBoard();
  const change = useChange();
  const [count, setCount] = useState(0);
  const [isFull, setFull] = useState(false);
  const ref = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    takeFocus(ref.current);
    if (ref.current !== null) showEnd(ref.current);
  }, []);
  const end = () => {
    flushSync(close);
    focusList(listPublicId);
  };
  const add = () => {
    const field = ref.current;
    if (field === null) return;
    setFull(takeLines(field, followed, TITLE_MAX, (title) => change("card.create", { listPublicId, title })));
    setCount(linesOf(field.value, TITLE_MAX).length);
    showEnd(field);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") end();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    add();
  };
  return (
    <div className="compose">
      <textarea
        ref={ref}
        aria-label={t.board.titleOfNewCard}
        placeholder={t.board.titlePlaceholder}
        rows={1}
        dir="auto"
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
      <div className="meta">
        <span>{count > 1 ? t.board.cards(count) : ""}</span>
        <span className="grow" />
        <span className="by-key" aria-hidden="true">
          <kbd>Enter</kbd>
          <span>{t.board.add}</span>
        </span>
        <span className="by-key" aria-hidden="true">
          <kbd>Esc</kbd>
          <span>{t.board.close}</span>
        </span>
        <button type="button" className="btn plain s by-touch" onPointerDown={keepFocus} onClick={end}>
          {t.card.close}
        </button>
        <button type="button" className="btn primary s by-touch" onPointerDown={keepFocus} onClick={add}>
          {t.board.addCards}
        </button>
      </div>
    </div>
  );
}
