import { useEffect, useRef } from "react";
import { announce } from "../parts/announce.js";
import { t } from "../texts/index.js";

/** Has a screen reader say when the connection stops being live, by the words for its state, and when it is live again. */
export function useSpokenConnection(isLive: boolean, words: string, isKnown = true): void {
  const wasLive = useRef(true);
  useEffect(() => {
    if (!isKnown || wasLive.current === isLive) return;
    wasLive.current = isLive;
    announce(isLive ? t.board.live(0) : words);
  }, [isLive, isKnown, words]);
}
