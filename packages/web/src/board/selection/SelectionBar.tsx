// The actions on the selected cards. Loaded when the first one is selected.

import { Archive, ArrowRight, Calendar, CircleCheck, RotateCcw, Tag, Trash2, User, X } from "lucide";
import { useEffect } from "react";
import type { CardState } from "work-board-client/board";
import { isCovered } from "../../keys/singleKeys.js";
import { ConfirmButton } from "../../parts/ConfirmButton.js";
import { DayChoice } from "../../parts/DayChoice.js";
import { Icon } from "../../parts/Icon.js";
import { MenuButton } from "../../parts/MenuButton.js";
import { useStore } from "../../store.js";
import { t } from "../../texts/index.js";
import { texts } from "../../texts/later.js";
import { useBoardState, useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { focusBeside, focusCard } from "../focus.js";
import { BulkPicker } from "./BulkPicker.js";
import { Labels, People } from "./choices.js";
import { dropTogether, lastSelected, selectedOn, selection, selectNone } from "./selection.js";
import { useBulk } from "./useBulk.js";
import "../../styles/selection.css";

export default function SelectionBar() {
  const { followed, may } = useShownBoard();
  const isShown = useIsShown();
  const ids = useStore(selection, (all) => all);
  const board = useBoardState((all) => all);
  const selected = selectedOn(board, ids, isShown);
  const isEmpty = selected.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isCovered()) return;
      end();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isEmpty]);
  const bulk = useBulk(selected);
  useEffect(() => {
    dropTogether.set((cardPublicId, to) => {
      if (selected.length < 2 || !selected.includes(cardPublicId)) return false;
      bulk.drop(cardPublicId, to);
      return true;
    });
    return () => dropTogether.set(null);
  });
  // The selection stays: cards whose archiving was taken back at once leave and come back when the service has done both.
  if (isEmpty) return null;
  const cards = selected.map((id) => board.cards[id]).filter((card): card is CardState => card !== undefined);
  const isDone = cards.every(({ completedAt }) => completedAt !== null);
  const leave = (run: () => void) => {
    focusBeside(followed, selected, isShown);
    run();
    selectNone();
  };
  const text = texts.selection;
  return (
    <section className="selection" aria-label={text.bar}>
      <b>{t.selection.selected(selected.length)}</b>
      {may("card:edit") && (
        <>
          <MenuButton
            className="btn s"
            aria-keyshortcuts="M"
            entries={() =>
              board.lists.map(({ publicId, name }) => ({ text: name, onSelect: () => bulk.move(publicId) }))
            }
          >
            <Icon of={ArrowRight} />
            <span>{text.move}</span>
          </MenuButton>
          <BulkPicker name={t.card.labels} icon={Tag} shortcut="L">
            {() => <Labels cards={cards} toggle={bulk.label} />}
          </BulkPicker>
          <BulkPicker name={t.card.people} icon={User} shortcut="P">
            {() => <People cards={cards} toggle={bulk.assign} />}
          </BulkPicker>
          <BulkPicker name={t.card.dueDate} icon={Calendar} shortcut="D">
            {(close) => (
              <DayChoice
                day={null}
                canClear={cards.some(({ dueDate }) => dueDate !== null)}
                choose={(day) => {
                  bulk.update({ dueDate: day });
                  close();
                }}
              />
            )}
          </BulkPicker>
          <button
            type="button"
            className="btn s"
            aria-keyshortcuts="C"
            onClick={() => bulk.update({ completed: !isDone })}
          >
            <Icon of={isDone ? RotateCcw : CircleCheck} />
            <span>{isDone ? t.card.reopen : t.card.complete}</span>
          </button>
          <button type="button" className="btn s" aria-keyshortcuts="A" onClick={() => leave(bulk.archive)}>
            <Icon of={Archive} />
            <span>{t.card.archive}</span>
          </button>
        </>
      )}
      {may("card:delete") && (
        <ConfirmButton
          className="btn s danger"
          heading={text.deleteAsks(selected.length)}
          text={text.deleteText}
          action={t.card.delete}
          run={async () => leave(bulk.remove)}
        >
          <Icon of={Trash2} />
          <span>{t.card.delete}</span>
        </ConfirmButton>
      )}
      <span className="grow" />
      <button type="button" className="btn plain icon s" aria-label={text.end} onClick={end}>
        <Icon of={X} />
      </button>
    </section>
  );
}

function end(): void {
  selectNone();
  const card = lastSelected();
  if (card !== null) focusCard(card);
}
