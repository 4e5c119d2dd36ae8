import { useBoard } from "work-board-client/react";
import { useIsOnline } from "../parts/network.js";
import { isSessionOver } from "../requests.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { useShownBoard } from "./context.js";

/** Says whether the board is live, and how much waits to be sent. */
export function Connection() {
  const { followed } = useShownBoard();
  const status = useBoard(followed, (state) => state.status);
  const waiting = useBoard(followed, (state) => state.waiting);
  const isOnline = useIsOnline();
  const isSignedOut = useStore(isSessionOver, (isOver) => isOver);
  const isLive = isOnline && !isSignedOut && status === "live";
  const stillWords = status === "loading" ? t.loading : t.board.reconnecting(waiting);
  const outWords = isSignedOut ? t.board.signedOut : stillWords;
  const words = isOnline ? outWords : t.board.offline(waiting);
  return (
    <span
      role="status"
      aria-live="polite"
      aria-label={t.board.connection}
      className={isLive ? "connection" : "connection is-out"}
    >
      {isLive ? t.board.live : words}
    </span>
  );
}
