import { type FocusEvent, Fragment, useCallback, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useSingleKeys } from "../keys/singleKeys.js";
import { Boundary, FailedPart } from "../parts/Boundary.js";
import { lazyComponent, preloadAfterPaint } from "../parts/lazyComponent.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { useBoardState, useShownBoard } from "./context.js";
import { useDragging, useListSlot } from "./dragging/useDragging.js";
import { focusCard, useHeirs } from "./focus.js";
import { useBoardKeys } from "./keys.js";
import { List } from "./List.js";
import * as styles from "./List.module.css";
import { useCancelOnLoss, useMoves } from "./moving/moves.js";
import { NewList } from "./NewList.js";
import { useSelecting } from "./selection/useSelecting.js";
import { type PickedProperty, useSlots } from "./slots.js";

const CardMenu = lazyComponent(() => import("./CardMenu.js"));
const MoveDialog = lazyComponent(() => import("./moving/MoveDialog.js"));

/** The least width of a list, in CSS pixels. */
const LIST_PX = 288;

/** The lists in which new cards are typed. */
function useComposing() {
  const { open } = useShownBoard();
  // Each stays open while it has a text.
  const [composed, setComposed] = useState<readonly string[]>([]);
  const compose = useCallback(
    (id: string) => {
      setComposed((all) => [...all, id]);
      // It may be open already.
      open.lists.get(id)?.composer.current?.focus();
    },
    [open],
  );
  const stopComposing = useCallback(
    (...ids: string[]) => setComposed((all) => all.filter((id) => !ids.includes(id))),
    [],
  );
  return { composed, compose, stopComposing };
}

const loadDescriptions = () => import("./cardDescription.js");

/** Notes which card has the focus. */
function useFocusChange() {
  const shown = useShownBoard();
  const { open } = shown;
  const moves = useMoves();
  const onFocus = ({ target }: FocusEvent) => {
    const cardPublicId = open.cards.idAt(target) ?? null;
    open.focused.set(cardPublicId);
    if (cardPublicId === null || target.tagName !== "A") return;
    void loadDescriptions().then(
      ({ describeCard }) => describeCard(shown, cardPublicId),
      () => {},
    );
  };
  const onBlur = () => {
    open.focused.set(null);
    // The keys that would drop it go elsewhere now.
    if (open.moving.get()?.isDragged === false) moves.cancel();
  };
  return { onFocus, onBlur };
}

/** The lists of the board, and what happens in one place at a time: a title that is edited, a card that is typed, a menu. */
export function Lists() {
  const { open, may } = useShownBoard();
  const { CardPicker } = useSlots();
  const lists = useBoardState((board) => board.lists);
  const [edited, setEdited] = useState<string | null>(null);
  const { composed, compose, stopComposing } = useComposing();
  const menu = useStore(open.menu, (id) => id);
  const setMenu = open.menu.set;
  const [moved, setMoved] = useState<string | null>(null);
  const [picked, setPicked] = useState<{ cardPublicId: string; property: PickedProperty } | null>(null);
  const pick = (cardPublicId: string, property: PickedProperty) => setPicked({ cardPublicId, property });
  const onKeyDown = useBoardKeys({ rename: setEdited, compose, openMenu: setMenu, move: setMoved, pick });
  useSingleKeys({
    n: () => {
      // In a list it makes one there.
      if (may("card:create") && lists[0] !== undefined) compose(lists[0].publicId);
    },
  });
  const root = useDragging();
  const slot = useListSlot();
  useCancelOnLoss();
  useEffect(() => () => open.menu.set(null), [open]);
  useHeirs();
  const onFocusChange = useFocusChange();
  const onClick = useSelecting();
  useEffect(() => {
    preloadAfterPaint(CardMenu, MoveDialog, CardPicker, { preload: loadDescriptions });
  }, [CardPicker]);
  const stopEditing = useCallback(
    (cardPublicId: string, isByKey: boolean) => {
      flushSync(() => setEdited(null));
      if (isByKey) focusCard(open, cardPublicId);
    },
    [open],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys act on the card that has the focus
    <div ref={root} className={styles.lists} onKeyDown={onKeyDown} onClickCapture={onClick} {...onFocusChange}>
      {lists.map((list, index) => (
        <Fragment key={list.key}>
          {slot === index && <div className={styles.listSlot} />}
          <Boundary fallback={<FailedPart heading={t.failures.listShown(list.name)} />}>
            <List
              list={list}
              isFirst={index < window.innerWidth / LIST_PX}
              edited={edited}
              stopEditing={stopEditing}
              isComposing={composed.includes(list.publicId) || composed.includes(list.key)}
              compose={compose}
              stopComposing={stopComposing}
              openMenu={setMenu}
            />
          </Boundary>
        </Fragment>
      ))}
      {slot === lists.length && <div className={styles.listSlot} />}
      {may("list:create") && <NewList />}
      {menu !== null && (
        <CardMenu cardPublicId={menu} rename={setEdited} move={setMoved} pick={pick} close={() => setMenu(null)} />
      )}
      {picked !== null && <CardPicker {...picked} close={() => setPicked(null)} />}
      {moved !== null && <MoveDialog cardPublicId={moved} close={() => setMoved(null)} />}
    </div>
  );
}
