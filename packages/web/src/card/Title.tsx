import { type KeyboardEvent, useRef } from "react";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { t } from "../texts/index.js";

/** The title, which is edited where it stands. Enter and leaving it save, Escape gives up. */
export function Title({ cardPublicId }: { cardPublicId: string }) {
  const { may } = useShownBoard();
  const change = useChange();
  const title = useBoardState((board) => board.cards[cardPublicId]?.title ?? "");
  const canEdit = may("card:edit");
  const givesUp = useRef(false);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const field = event.currentTarget;
    if (event.key === "Escape" && field.value !== title) {
      event.stopPropagation();
      givesUp.current = true;
      field.blur();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    field.blur();
  };
  const onBlur = (field: HTMLTextAreaElement) => {
    const next = field.value.replaceAll(/\s*\n\s*/g, " ").trim();
    if (canEdit && !givesUp.current && next !== "" && next !== title)
      change("card.update", { cardPublicId, title: next });
    else field.value = title;
    givesUp.current = false;
  };
  return (
    <textarea
      // A title that somebody else changed shows at once.
      key={title}
      className="title"
      aria-label={t.card.title}
      defaultValue={title}
      readOnly={!canEdit}
      rows={1}
      maxLength={2000}
      dir="auto"
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget }) => onBlur(currentTarget)}
    />
  );
}
