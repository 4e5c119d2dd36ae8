import { useEffect, useRef, useState } from "react";
import { useBoard } from "work-board-client/react";
import { useSpokenConnection } from "../frame/spokenConnection.js";
import { useIsOnline } from "../parts/network.js";
import { isSessionOver } from "../requests.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { useShownBoard } from "./context.js";

const WAITED_MS = 1000;

/** Returns the number of changes that have waited for a second: the least number of the last second. */
function useWaited(waiting: number): number {
  const [waited, setWaited] = useState(0);
  const seconds = useRef(new Set<{ least: number }>());
  useEffect(() => {
    setWaited((before) => Math.min(before, waiting));
    for (const second of seconds.current) second.least = Math.min(second.least, waiting);
    const second = { least: waiting };
    seconds.current.add(second);
    setTimeout(() => {
      seconds.current.delete(second);
      setWaited(second.least);
    }, WAITED_MS);
  }, [waiting]);
  return Math.min(waited, waiting);
}

/** Says whether the board is live, and how much waits to be sent. */
export function Connection() {
  const { followed } = useShownBoard();
  const status = useBoard(followed, (state) => state.status);
  const waiting = useWaited(useBoard(followed, (state) => state.waiting));
  const hasWaited = waiting > 0;
  // Else the browser may clear what waits when its disk is full.
  useEffect(() => {
    if (hasWaited) void navigator.storage?.persist?.();
  }, [hasWaited]);
  const isOnline = useIsOnline();
  const isSignedOut = useStore(isSessionOver, (isOver) => isOver);
  const isLive = isOnline && !isSignedOut && status === "live";
  const stillWords = status === "loading" ? t.loading : t.board.reconnecting(waiting);
  const outWords = isSignedOut ? t.board.signedOut : stillWords;
  const words = isOnline ? outWords : t.board.offline(waiting);
  useSpokenConnection(isLive, words, status !== "loading");
  return (
    <span
      role="status"
      aria-live="off"
      aria-label={t.board.connection}
      className={isLive ? "connection" : "connection is-out"}
    >
      {isLive ? t.board.live(waiting) : words}
    </span>
  );
}
