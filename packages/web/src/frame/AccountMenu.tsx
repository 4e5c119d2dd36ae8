import { LogOut, Server, Settings } from "lucide";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Entry } from "../parts/Menu.js";
import { MenuButton } from "../parts/MenuButton.js";
import { signOut } from "../session/session.js";
import { useIsInstanceAdmin } from "../session/start.js";
import { t } from "../texts/index.js";
import { chooseTheme, THEMES, theme } from "../theme.js";

/** The reader's own menu: the theme, and leaving. */
export function AccountMenu({ className, children }: { className: string; children: ReactNode }) {
  const isAdmin = useIsInstanceAdmin();
  const [, navigate] = useLocation();
  const entries = (): Entry[] => [
    ...THEMES.map(([one, icon]) => ({
      text: t.theme[one],
      icon,
      isChosen: one === theme.get(),
      onSelect: () => chooseTheme(one),
    })),
    "rule",
    ...(isAdmin ? [{ text: t.frame.instance, icon: Server, onSelect: () => navigate("/admin") }] : []),
    { text: t.frame.settings, icon: Settings, onSelect: () => navigate("/settings/account") },
    { text: t.frame.signOut, icon: LogOut, onSelect: () => void signOut() },
  ];
  return (
    <MenuButton className={className} entries={entries}>
      {children}
    </MenuButton>
  );
}
