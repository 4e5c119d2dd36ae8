import { type KeyboardEvent, useState } from "react";
import { isSessionOver } from "../session.js";
import { t } from "../texts/index.js";
import { useChange } from "./context.js";

const TITLE_MAX = 2000;
/** A long list measures its cards once they are in view, and scrolls by the difference. */
const FRAMES_TO_MEASURE = 4;

const titlesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => [...line.trim()].slice(0, TITLE_MAX).join(""))
    .filter((line) => line !== "");

/** The field for new cards. Enter adds a card for each line and keeps the field; what is typed right after it is the next title. */
export function QuickAdd({ listPublicId, close }: { listPublicId: string; close: () => void }) {
  const change = useChange();
  const [count, setCount] = useState(0);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    const field = event.currentTarget;
    const titles = titlesOf(field.value);
    // Emptied here and not by rendering, so that no letter typed meanwhile is lost.
    field.value = "";
    setCount(0);
    for (const title of titles) change("card.create", { listPublicId, title });
    const cards = field.closest("section")?.querySelector(".cards");
    const showLast = (frames: number) => {
      cards?.scrollTo({ top: cards.scrollHeight });
      if (frames > 1) requestAnimationFrame(() => showLast(frames - 1));
    };
    requestAnimationFrame(() => showLast(FRAMES_TO_MEASURE));
  };
  return (
    <div className="compose">
      <textarea
        ref={(field) => field?.focus()}
        aria-label={t.board.titleOfNewCard}
        placeholder={t.board.titlePlaceholder}
        rows={1}
        dir="auto"
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => setCount(titlesOf(currentTarget.value).length)}
        onBlur={({ currentTarget }) => {
          // Who signs in again comes back to it.
          if (currentTarget.value.trim() === "" && !isSessionOver.get()) close();
        }}
      />
      <div className="meta">
        <span>{count > 1 ? t.board.cards(count) : ""}</span>
        <span className="grow" />
        <span aria-hidden="true">
          <kbd>Enter</kbd> {t.board.add}
        </span>
        <span aria-hidden="true">
          <kbd>Esc</kbd> {t.board.close}
        </span>
      </div>
    </div>
  );
}
