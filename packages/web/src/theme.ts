// Light or dark: as the system has it, unless the reader chose. The choice stays in this browser.

import { type IconNode, Monitor, Moon, Sun } from "lucide";
import { storeOf } from "./store.js";
import { stored } from "./stored.js";

export type Theme = "light" | "dark" | "system";

/** The themes to choose from. */
export const THEMES: readonly (readonly [Theme, IconNode])[] = [
  ["light", Sun],
  ["dark", Moon],
  ["system", Monitor],
];

const choice = stored("work-board.theme");

/** The theme that the reader chose. */
export const theme = storeOf(THEMES.find(([one]) => one === choice.get())?.[0] ?? "system");

export function chooseTheme(chosen: Theme): void {
  choice.set(chosen === "system" ? null : chosen);
  theme.set(chosen);
  applyTheme();
}

/** Shows the chosen theme. */
export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
