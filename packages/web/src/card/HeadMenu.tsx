import { Archive, ArchiveRestore, ArrowRight, Copy, Ellipsis, Trash2 } from "lucide";
import { useRef, useState } from "react";
import type { CardState } from "work-board-client/board";
import { useLocation } from "wouter";
import { useChange, useShownBoard } from "../board/context.js";
import { useSingleKeys } from "../keys/singleKeys.js";
import { confirm } from "../parts/confirm.js";
import { Icon } from "../parts/Icon.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import type { Entry } from "../parts/Menu.js";
import { MenuButton, type MenuHandle } from "../parts/MenuButton.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";

const MoveDialog = lazyComponent(() => import("../board/moving/MoveDialog.js"));

/** The actions on an open card as a whole. Deleting it stands behind archiving it, and asks. */
export function HeadMenu({ card, close }: { card: CardState; close: () => void }) {
  const { followed, may } = useShownBoard();
  const change = useChange();
  const [address, navigate] = useLocation();
  const [isMoving, setMoving] = useState(false);
  const menu = useRef<MenuHandle>(null);
  const { publicId: cardPublicId, title, isGone } = card;
  const isArchived = isGone && card.details?.archivedAt != null;
  const copy = () =>
    void followed.change("card.duplicate", { cardPublicId, title: texts.card.copyOf(title) }).then(
      ({ publicId }) => {
        // Unless the reader has gone elsewhere meanwhile.
        if (location.pathname === address) navigate(`/cards/${publicId}`, { replace: true, state: history.state });
      },
      () => {},
    );
  const remove = () => {
    change("card.delete", { cardPublicId });
    close();
  };
  const askToRemove = () => confirm({ text: texts.card.deleteAsks(title), action: texts.card.delete, run: remove });
  const move = () => setMoving(true);
  const archive = () => change("card.archive", { cardPublicId });
  const placing: Entry[] = [{ text: texts.moving.move, icon: ArrowRight, key: "M", onSelect: move }];
  const copying: Entry[] = [{ text: texts.card.copy, icon: Copy, onSelect: copy }];
  const archiving: Entry[] = [
    isArchived
      ? { text: texts.card.restore, icon: ArchiveRestore, onSelect: () => change("card.unarchive", { cardPublicId }) }
      : { text: texts.card.archive, icon: Archive, key: "A", onSelect: archive },
  ];
  const deleting: Entry[] = [{ text: texts.card.delete, icon: Trash2, isDanger: true, onSelect: askToRemove }];
  const isHere = !isGone || isArchived;
  const entries = [
    ...(may("card:edit") && !isGone ? placing : []),
    ...(may("card:create") && !isGone ? copying : []),
    ...(may("card:edit") && isHere ? archiving : []),
    ...(may("card:delete") && isHere ? deleting : []),
  ];
  useSingleKeys({ ".": () => menu.current?.open(), ...(may("card:edit") && !isGone && { m: move, a: archive }) }, [
    "card",
  ]);
  if (entries.length === 0) return null;
  return (
    <span>
      <MenuButton ref={menu} className="btn plain icon" aria-label={t.card.actionsFor(title)} entries={() => entries}>
        <Icon of={Ellipsis} />
      </MenuButton>
      {isMoving && (
        <MoveDialog
          cardPublicId={cardPublicId}
          close={() => setMoving(false)}
          focusAfter={() => menu.current?.focus()}
        />
      )}
    </span>
  );
}
