import { type KeyboardEvent, useState } from "react";
import { useChange, useShownBoard } from "../board/context.js";
import { takeLines } from "../board/lines.js";
import { GrowingField } from "../parts/GrowingField.js";
import { takeFocus } from "../parts/takeFocus.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import { ITEM_MAX } from "./ChecklistItem.js";

interface Props {
  checklistPublicId: string;
  /** The name of the checklist. */
  name: string;
  close: (isByKey: boolean) => void;
}

/** The field for new items. Enter adds an item for each line and keeps the field for the next one, Escape closes it. */
export function NewItem({ checklistPublicId, name, close }: Props) {
  const { followed } = useShownBoard();
  const change = useChange();
  const [isFull, setFull] = useState(false);
  const add = (field: HTMLTextAreaElement): boolean => {
    const make = (title: string) => change("card.checklists.addItem", { checklistPublicId, title });
    const hasRest = takeLines(field, followed, ITEM_MAX, make);
    setFull(hasRest);
    return !hasRest;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close(true);
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    add(event.currentTarget);
  };
  return (
    <>
      <GrowingField
        ref={takeFocus}
        className={`input ${styles.newItem}`}
        aria-label={texts.checklists.newItemOf(name)}
        placeholder={texts.checklists.placeholder}
        onKeyDown={onKeyDown}
        onBlur={({ currentTarget }) => {
          if (add(currentTarget)) close(false);
        }}
      />
      {isFull && (
        <p className="error" role="alert">
          {t.board.full}
        </p>
      )}
    </>
  );
}
