// The side bar as its reader left it, and otherwise folded in a narrow window.

import { storeOf } from "../store.js";
import { stored } from "../stored.js";

const choice = stored("work-board.sideBar");

const narrow = matchMedia("(max-width: 900px)");
const wanted = () => (choice.get() === null ? narrow.matches : choice.get() === "folded");

/** Whether the side bar is folded to its icons. */
export const isFolded = storeOf(wanted());
narrow.addEventListener("change", () => isFolded.set(wanted()));

export function foldSideBar(): void {
  isFolded.set(!isFolded.get());
  choice.set(isFolded.get() ? "folded" : "open");
}
