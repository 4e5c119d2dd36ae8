import {
  Archive,
  ArrowRight,
  CircleCheck,
  Link,
  Maximize2,
  Pencil,
  RotateCcw,
  SquareCheck,
  Trash2,
} from "lucide-react";
import { useLocation } from "wouter";
import Menu, { type Entry } from "../parts/Menu.js";
import { t } from "../texts/index.js";
import { FROM_BOARD } from "./addresses.js";
import { useBoardState, useChange, useShownBoard } from "./context.js";
import { copyText } from "./copyText.js";
import { anchorOf } from "./focus.js";
import { selection, toggleSelected } from "./selection/selection.js";

interface Props {
  cardPublicId: string;
  rename: (cardPublicId: string) => void;
  move: (cardPublicId: string) => void;
  close: () => void;
}

/** The menu of a card. There is one for all cards. */
export default function CardMenu({ cardPublicId, rename, move, close }: Props) {
  const { may } = useShownBoard();
  const [, navigate] = useLocation();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const change = useChange();
  if (card === undefined) return null;
  const isDone = card.completedAt !== null;
  const address = `/cards/${cardPublicId}`;
  const editing: Entry[] = [
    { text: t.card.rename, icon: Pencil, key: "E", onSelect: () => rename(cardPublicId) },
    { text: t.moving.move, icon: ArrowRight, key: "M", onSelect: () => move(cardPublicId) },
    {
      text: isDone ? t.card.reopen : t.card.complete,
      icon: isDone ? RotateCcw : CircleCheck,
      key: "C",
      onSelect: () => change("card.update", { cardPublicId, completed: !isDone }),
    },
  ];
  const isSelected = selection.get().has(cardPublicId);
  const leaving: Entry[] = [
    {
      text: isSelected ? t.selection.deselect : t.selection.select,
      icon: SquareCheck,
      key: "X",
      onSelect: () => toggleSelected(cardPublicId),
    },
    "rule",
    { text: t.card.archive, icon: Archive, onSelect: () => change("card.archive", { cardPublicId }) },
  ];
  const entries: Entry[] = [
    { text: t.card.open, icon: Maximize2, key: "Enter", onSelect: () => navigate(address, { state: FROM_BOARD }) },
    ...(may("card:edit") ? editing : []),
    { text: t.card.copyLink, icon: Link, onSelect: () => copyText(location.origin + address) },
    ...(may("card:edit") ? leaving : []),
    ...(may("card:delete") ? [deleteEntry(() => change("card.delete", { cardPublicId }), card.title)] : []),
  ];
  return <Menu anchor={{ current: anchorOf(cardPublicId) }} entries={entries} close={close} />;
}

/** Deleting cannot be undone, so it asks. */
const deleteEntry = (onDelete: () => void, title: string): Entry => ({
  text: t.card.delete,
  icon: Trash2,
  isDanger: true,
  onSelect: () => {
    if (confirm(t.card.deleteAsks(title))) onDelete();
  },
});
