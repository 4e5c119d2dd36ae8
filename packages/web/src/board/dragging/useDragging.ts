import { type RefObject, useEffect, useRef } from "react";
import { useStore } from "../../store.js";
import { useBoardState, useShownBoard } from "../context.js";
import { useIsShown } from "../filter/context.js";
import { useMoves } from "../moving/moves.js";
import type { DragSource } from "./dropContext.js";
import { followPointers } from "./pointers.js";

/** Lets a pointer drag the cards and lists of an element. */
export function useDragging(): RefObject<HTMLDivElement | null> {
  const { followed, open } = useShownBoard();
  const moves = useMoves();
  const isShown = useIsShown();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = ref.current;
    if (root === null) return;
    const lists = () => followed.state().board?.lists ?? [];
    // Read from the replica when a press begins, because a drag goes on when a snapshot brings the same permissions anew.
    const mayDrag = ({ kind }: DragSource) =>
      followed.state().board?.me.permissions.includes(kind === "card" ? "card:edit" : "list:edit") === true;
    return followPointers({ root, open, moves, lists, isShown }, mayDrag);
  }, [followed, open, moves, isShown]);
  return ref;
}

/** The list before which a dragged one will land, by its index; null if it will not land elsewhere. */
export function useListSlot(): number | null {
  const { open } = useShownBoard();
  const lists = useBoardState((board) => board.lists);
  return useStore(open.moving, (thing) => {
    if (thing === null || thing.kind !== "list" || !thing.isDragged || thing.to === null) return null;
    const from = lists.findIndex(({ publicId }) => publicId === thing.publicId);
    if (thing.to.index === from) return null;
    return thing.to.index < from ? thing.to.index : thing.to.index + 1;
  });
}
