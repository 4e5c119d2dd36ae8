// Keys on the card that has the focus.

import type { KeyboardEvent } from "react";
import type { ListState } from "work-board-client/board";
import { useShownBoard } from "./context.js";
import { focusCard } from "./focus.js";

interface Actions {
  rename(cardPublicId: string): void;
  compose(listPublicId: string): void;
  openMenu(cardPublicId: string): void;
}

/** The next card in a direction: lists without cards are skipped. */
export function neighbourOf(lists: readonly ListState[], cardPublicId: string, key: string): string | undefined {
  const at = lists.findIndex(({ cardIds }) => cardIds.includes(cardPublicId));
  const index = lists[at]?.cardIds.indexOf(cardPublicId) ?? -1;
  if (key === "ArrowUp") return lists[at]?.cardIds[index - 1];
  if (key === "ArrowDown") return lists[at]?.cardIds[index + 1];
  const others = key === "ArrowRight" ? lists.slice(at + 1) : lists.slice(0, Math.max(at, 0)).toReversed();
  const next = others.find(({ cardIds }) => cardIds.length > 0);
  return next?.cardIds[Math.min(index, next.cardIds.length - 1)];
}

/** Handles the keys of the lists. */
export function useBoardKeys({ rename, compose, openMenu }: Actions): (event: KeyboardEvent<HTMLElement>) => void {
  const { followed, may } = useShownBoard();
  const actions: Record<string, (cardPublicId: string, lists: readonly ListState[]) => void> = {
    ".": openMenu,
    ...(may("card:edit") && {
      e: rename,
      c: (cardPublicId) => {
        const isDone = followed.state().board?.cards[cardPublicId]?.completedAt !== null;
        void followed.change("card.update", { cardPublicId, completed: !isDone }).catch(() => {});
      },
    }),
    ...(may("card:create") && {
      n: (cardPublicId, lists) => {
        const list = lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
        if (list !== undefined) compose(list.publicId);
      },
    }),
  };
  return (event) => {
    const cardPublicId =
      event.target instanceof Element && event.target.closest<HTMLElement>("[data-card]")?.dataset.card;
    const lists = followed.state().board?.lists;
    if (!cardPublicId || lists === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const action = event.key.startsWith("Arrow")
      ? () => focusCard(neighbourOf(lists, cardPublicId, event.key) ?? cardPublicId)
      : actions[event.key.toLowerCase()];
    if (action === undefined) return;
    event.preventDefault();
    action(cardPublicId, lists);
  };
}
