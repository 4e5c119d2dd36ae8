// Light or dark: as the system has it, unless the reader chose. The choice stays in this browser.

import { stored } from "./stored.js";

export type Theme = "light" | "dark" | "system";

const choice = stored("work-board.theme");

export function chosenTheme(): Theme {
  const value = choice.get();
  return value === "light" || value === "dark" ? value : "system";
}

export function chooseTheme(theme: Theme): void {
  choice.set(theme === "system" ? null : theme);
  applyTheme();
}

/** Shows the chosen theme. */
export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
