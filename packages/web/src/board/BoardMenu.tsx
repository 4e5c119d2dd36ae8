import { Archive, Ellipsis, Printer, Settings, Tag } from "lucide";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { settingsOfBoard } from "../addresses.js";
import { Icon } from "../parts/Icon.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import { MenuButton } from "../parts/MenuButton.js";
import { preloadWhenIdle } from "../parts/preloadWhenIdle.js";
import { t } from "../texts/index.js";
import { useBoardState, useShownBoard } from "./context.js";

const ArchiveDialog = lazyComponent(() => import("./archive/ArchiveDialog.js"));

/** The actions on a board that are seldom needed. */
export function BoardMenu() {
  const { may } = useShownBoard();
  const [, navigate] = useLocation();
  const [isArchiveOpen, setArchiveOpen] = useState(false);
  useEffect(() => preloadWhenIdle(ArchiveDialog), []);
  const boardPublicId = useBoardState((board) => board.publicId);
  const labels = {
    text: t.board.labels,
    icon: Tag,
    onSelect: () => navigate(settingsOfBoard(boardPublicId, "labels")),
  };
  return (
    <>
      <MenuButton
        className="btn plain icon"
        aria-label={t.board.menu}
        entries={() => [
          ...(may("board:edit") ? [labels] : []),
          { text: t.board.archivedCards, icon: Archive, onSelect: () => setArchiveOpen(true) },
          { text: t.board.print, icon: Printer, onSelect: () => print() },
          { text: t.board.settings, icon: Settings, onSelect: () => navigate(settingsOfBoard(boardPublicId)) },
        ]}
      >
        <Icon of={Ellipsis} />
      </MenuButton>
      {isArchiveOpen && <ArchiveDialog close={() => setArchiveOpen(false)} />}
    </>
  );
}
