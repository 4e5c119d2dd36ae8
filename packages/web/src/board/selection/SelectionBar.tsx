// The actions on the selected cards. Loaded when the first one is selected.

import { Trash2, X } from "lucide";
import { useCallback, useEffect } from "react";
import type { CardState } from "work-board-client/board";
import { isCovered } from "../../keys/singleKeys.js";
import { ConfirmButton } from "../../parts/ConfirmButton.js";
import { Icon } from "../../parts/Icon.js";
import { useStore } from "../../store.js";
import { t } from "../../texts/index.js";
import { texts } from "../../texts/later.js";
import * as bar from "../Bar.module.css";
import { useBoardState, useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { focusCard, focusNeighbour } from "../focus.js";
import { BulkEdits } from "./BulkEdits.js";
import * as styles from "./Selection.module.css";
import { selectedOn } from "./selection.js";
import { useBulk } from "./useBulk.js";

export default function SelectionBar() {
  const { open, may } = useShownBoard();
  const { selection } = open;
  const isShown = useIsShown();
  const ids = useStore(selection.ids, (all) => all);
  const board = useBoardState((all) => all);
  const selected = selectedOn(board, ids, isShown);
  const isEmpty = selected.length === 0;
  const bulk = useBulk(selected);
  const end = useCallback(() => {
    open.selection.clear();
    if (open.selection.last !== null) focusCard(open, open.selection.last);
  }, [open]);
  useEndOnEscape(end, !isEmpty);
  // The selection stays: cards whose archiving was taken back at once leave and come back when the service has done both.
  if (isEmpty) return null;
  const leave = (run: () => void) => {
    focusNeighbour(open, selected, isShown);
    run();
    selection.clear();
  };
  const cards = selected.map((id) => board.cards[id]).filter((card): card is CardState => card !== undefined);
  const text = texts.selection;
  return (
    <section className={`${bar.bar} ${styles.selection}`} aria-label={text.bar}>
      <b>{t.selection.selected(selected.length)}</b>
      {may("card:edit") && <BulkEdits cards={cards} bulk={bulk} archive={() => leave(bulk.archive)} />}
      {may("card:delete") && (
        <ConfirmButton
          className="btn s danger"
          heading={text.deleteAsks(selected.length)}
          text={text.deleteText}
          action={texts.card.delete}
          run={async () => leave(bulk.remove)}
        >
          <Icon of={Trash2} />
          <span>{texts.card.delete}</span>
        </ConfirmButton>
      )}
      <span className="grow" />
      <button type="button" className="btn plain icon s" aria-label={text.end} onClick={end}>
        <Icon of={X} />
      </button>
    </section>
  );
}

function useEndOnEscape(end: () => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !isCovered()) end();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [end, isOn]);
}
