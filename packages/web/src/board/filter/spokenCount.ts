import { useEffect } from "react";
import { announce } from "../../parts/announce.js";
import { texts } from "../../texts/later.js";
import { useShownBoard } from "../context.js";
import { useFilter, useIsShown } from "./context.js";

/** While a text is typed, its last letter is waited for. */
const TYPED_MS = 500;

/** Has a screen reader say how many cards the filter shows when it was changed; not when somebody else changes the cards. */
export function useSpokenCount(): void {
  const { followed } = useShownBoard();
  const filter = useFilter();
  const isShown = useIsShown();
  useEffect(() => {
    const timer = setTimeout(() => {
      const ids = followed.state().board?.lists.flatMap(({ cardIds }) => cardIds) ?? [];
      announce(texts.filter.count(ids.filter(isShown).length, ids.length));
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [followed, filter, isShown]);
}
