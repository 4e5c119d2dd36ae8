// The side bar as its reader left it; in a narrow window, it begins folded.

import { storeOf } from "../parts/store.js";
import { stored } from "../stored.js";

const choice = stored("work-board.sideBar");

/** Whether the side bar is folded to its icons. */
export const isFolded = storeOf(
  choice.get() === null ? matchMedia("(max-width: 900px)").matches : choice.get() === "folded",
);

export function foldSideBar(): void {
  isFolded.set(!isFolded.get());
  choice.set(isFolded.get() ? "folded" : "open");
}
