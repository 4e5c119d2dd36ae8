import type { KeyboardEvent } from "react";
import { useChange } from "../board/context.js";
import { texts } from "../texts/later.js";
import { ITEM_MAX } from "./ChecklistItem.js";

interface Props {
  checklistPublicId: string;
  /** The name of the checklist. */
  name: string;
  close: (isByKey: boolean) => void;
}

/** The field for new items. Enter adds an item for each line and keeps the field for the next one, Escape closes it. */
export function NewItem({ checklistPublicId, name, close }: Props) {
  const change = useChange();
  const add = (field: HTMLTextAreaElement) => {
    const lines = field.value.split("\n").map((line) => line.trim().slice(0, ITEM_MAX));
    // Emptied here and not by rendering, so that no letter typed meanwhile is lost.
    field.value = "";
    for (const title of lines) if (title !== "") change("card.checklists.addItem", { checklistPublicId, title });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close(true);
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    add(event.currentTarget);
  };
  return (
    <textarea
      ref={(field) => field?.focus()}
      className="input new-item"
      aria-label={texts.checklists.newItemOf(name)}
      placeholder={texts.checklists.placeholder}
      rows={1}
      dir="auto"
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget }) => {
        add(currentTarget);
        close(false);
      }}
    />
  );
}
