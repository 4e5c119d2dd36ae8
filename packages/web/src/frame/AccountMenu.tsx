import { LogOut, type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Entry } from "../parts/Menu.js";
import { MenuButton } from "../parts/MenuButton.js";
import { signOut } from "../queries.js";
import { t } from "../texts/index.js";
import { chooseTheme, chosenTheme, type Theme } from "../theme.js";

const THEMES: [Theme, LucideIcon][] = [
  ["light", Sun],
  ["dark", Moon],
  ["system", Monitor],
];

/** The reader's own menu: the theme, and leaving. */
export function AccountMenu({ className, children }: { className: string; children: ReactNode }) {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (one: Theme) => {
    chooseTheme(one);
    setTheme(one);
  };
  const entries = (): Entry[] => [
    ...THEMES.map(([one, icon]) => ({
      text: t.theme[one],
      icon,
      isChosen: one === theme,
      onSelect: () => choose(one),
    })),
    "rule",
    { text: t.frame.signOut, icon: LogOut, onSelect: () => void signOut() },
  ];
  return (
    <MenuButton className={className} entries={entries}>
      {children}
    </MenuButton>
  );
}
