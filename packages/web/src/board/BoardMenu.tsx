import { Ellipsis, Printer, Settings } from "lucide-react";
import { useLocation } from "wouter";
import { settingsOfBoard } from "../addresses.js";
import { Icon } from "../parts/Icon.js";
import { MenuButton } from "../parts/MenuButton.js";
import { t } from "../texts/index.js";
import { useBoardState } from "./context.js";

/** What is seldom done with a board. */
export function BoardMenu() {
  const [, navigate] = useLocation();
  const boardPublicId = useBoardState((board) => board.publicId);
  return (
    <MenuButton
      className="btn plain icon"
      aria-label={t.board.menu}
      entries={() => [
        { text: t.board.print, icon: Printer, onSelect: () => print() },
        { text: t.board.settings, icon: Settings, onSelect: () => navigate(settingsOfBoard(boardPublicId)) },
      ]}
    >
      <Icon of={Ellipsis} />
    </MenuButton>
  );
}
