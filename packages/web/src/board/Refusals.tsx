import { useEffect } from "react";
import type { Refused } from "work-board-client/board";
import { useBoard } from "work-board-client/react";
import { useLocation } from "wouter";
import { lazyComponent, preloadAfterPaint } from "../parts/lazyComponent.js";
import { cardInConflict } from "./conflicts.js";
import { useShownBoard } from "./context.js";

const RefusalList = lazyComponent(() => import("./RefusalList.js"));

/** An open card shows its conflict itself. */
const isShownAt = (address: string) => (one: Refused) => address !== `/cards/${cardInConflict(one)}`;

/** The changes that the service refused, each until it is dismissed. */
export function Refusals() {
  const { followed } = useShownBoard();
  const refused = useBoard(followed, (state) => state.refused);
  const [address] = useLocation();
  useEffect(() => preloadAfterPaint(RefusalList), []);
  const shown = refused.filter(isShownAt(address));
  return shown.length > 0 && <RefusalList refused={shown} />;
}
