import { Archive, ArrowRight, Calendar, CircleCheck, RotateCcw, Tag, User } from "lucide";
import { useEffect, useRef, useState } from "react";
import type { CardState } from "work-board-client/board";
import { DayChoice } from "../../parts/DayChoice.js";
import { Icon } from "../../parts/Icon.js";
import { MenuButton, type MenuHandle } from "../../parts/MenuButton.js";
import { texts } from "../../texts/later.js";
import { useBoardState, useShownBoard } from "../context.js";
import { BulkPicker } from "./BulkPicker.js";
import { Labels, People } from "./choices.js";
import type { useBulk } from "./useBulk.js";

interface Props {
  /** The selected cards. */
  cards: readonly CardState[];
  bulk: ReturnType<typeof useBulk>;
  archive: () => void;
}

/** The buttons that change the selected cards. Their keys act on a selected card that has the focus. */
export function BulkEdits({ cards, bulk, archive }: Props) {
  const lists = useBoardState((board) => board.lists);
  const menu = useRef<MenuHandle>(null);
  const [picker, setPicker] = useState<"L" | "P" | "D" | null>(null);
  const isDone = cards.every(({ completedAt }) => completedAt !== null);
  const complete = () => bulk.update({ completed: !isDone });
  useSelectionBar(cards, bulk, {
    m: () => menu.current?.open(),
    l: () => setPicker("L"),
    p: () => setPicker("P"),
    d: () => setPicker("D"),
    c: complete,
    a: archive,
  });
  const openedBy = (shortcut: "L" | "P" | "D") => ({
    shortcut,
    isOpen: picker === shortcut,
    setOpen: (isOpen: boolean) => setPicker(isOpen ? shortcut : null),
  });
  return (
    <>
      <MenuButton
        ref={menu}
        className="btn s"
        aria-keyshortcuts="M"
        entries={() => lists.map(({ publicId, name }) => ({ text: name, onSelect: () => bulk.move(publicId) }))}
      >
        <Icon of={ArrowRight} />
        <span>{texts.selection.move}</span>
      </MenuButton>
      <BulkPicker name={texts.card.labels} icon={Tag} {...openedBy("L")}>
        <Labels cards={cards} toggle={bulk.label} />
      </BulkPicker>
      <BulkPicker name={texts.card.people} icon={User} {...openedBy("P")}>
        <People cards={cards} toggle={bulk.assign} />
      </BulkPicker>
      <BulkPicker name={texts.card.dueDate} icon={Calendar} {...openedBy("D")}>
        <DayChoice
          day={null}
          canClear={cards.some(({ dueDate }) => dueDate !== null)}
          choose={(day) => {
            bulk.update({ dueDate: day });
            setPicker(null);
          }}
        />
      </BulkPicker>
      <button type="button" className="btn s" aria-keyshortcuts="C" onClick={complete}>
        <Icon of={isDone ? RotateCcw : CircleCheck} />
        <span>{isDone ? texts.card.reopen : texts.card.complete}</span>
      </button>
      <button type="button" className="btn s" aria-keyshortcuts="A" onClick={archive}>
        <Icon of={Archive} />
        <span>{texts.card.archive}</span>
      </button>
    </>
  );
}

/** Tells the open board what keys and drops do while cards are selected. */
function useSelectionBar(
  cards: readonly CardState[],
  bulk: Props["bulk"],
  actions: Readonly<Record<string, () => void>>,
): void {
  const { selection } = useShownBoard().open;
  useEffect(() => {
    selection.bar = {
      press(key) {
        actions[key]?.();
        return key in actions;
      },
      drop(cardPublicId, to) {
        if (cards.length < 2 || !cards.some(({ publicId }) => publicId === cardPublicId)) return false;
        bulk.drop(cardPublicId, to);
        return true;
      },
    };
    return () => {
      selection.bar = null;
    };
  });
}
