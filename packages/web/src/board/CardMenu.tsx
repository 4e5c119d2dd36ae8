import {
  Archive,
  ArrowRight,
  Calendar,
  CircleCheck,
  Link,
  Maximize2,
  Pencil,
  RotateCcw,
  SquareCheck,
  Tag,
  Trash2,
  User,
} from "lucide";
import { useLocation } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { confirm } from "../parts/confirm.js";
import Menu, { type Entry } from "../parts/Menu.js";
import { t } from "../texts/index.js";
import { useBoardState, useChange, useShownBoard } from "./context.js";
import { copyLink } from "./copyLink.js";
import { useIsShown } from "./filter/context.js";
import { anchorOf, focusBeside } from "./focus.js";
import { selection, toggleSelected } from "./selection/selection.js";
import type { PickedProperty } from "./slots.js";

interface Props {
  cardPublicId: string;
  rename: (cardPublicId: string) => void;
  move: (cardPublicId: string) => void;
  pick: (cardPublicId: string, property: PickedProperty) => void;
  close: () => void;
}

/** The menu of a card. There is one for all cards. */
export default function CardMenu({ cardPublicId, rename, move, pick, close }: Props) {
  const { followed, may } = useShownBoard();
  const isShown = useIsShown();
  const [, navigate] = useLocation();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const change = useChange();
  if (card === undefined) return null;
  const isDone = card.completedAt !== null;
  const address = `/cards/${cardPublicId}`;
  const editing: Entry[] = [
    { text: t.card.rename, icon: Pencil, key: "E", onSelect: () => rename(cardPublicId) },
    { text: t.moving.move, icon: ArrowRight, key: "M", onSelect: () => move(cardPublicId) },
    { text: t.card.pickLabels, icon: Tag, key: "L", onSelect: () => pick(cardPublicId, "labels") },
    { text: t.card.pickPeople, icon: User, key: "P", onSelect: () => pick(cardPublicId, "people") },
    { text: t.card.pickDueDate, icon: Calendar, key: "D", onSelect: () => pick(cardPublicId, "dueDate") },
    {
      text: isDone ? t.card.reopen : t.card.complete,
      icon: isDone ? RotateCcw : CircleCheck,
      key: "C",
      onSelect: () => change("card.update", { cardPublicId, completed: !isDone }),
    },
  ];
  /** Makes a change after which the card is gone. */
  const leave = (path: "card.archive" | "card.delete") => {
    focusBeside(followed, [cardPublicId], isShown);
    change(path, { cardPublicId });
  };
  const isSelected = selection.get().has(cardPublicId);
  const leaving: Entry[] = [
    {
      text: isSelected ? t.selection.deselect : t.selection.select,
      icon: SquareCheck,
      key: "X",
      onSelect: () => toggleSelected(cardPublicId),
    },
    "rule",
    { text: t.card.archive, icon: Archive, key: "A", onSelect: () => leave("card.archive") },
  ];
  const entries: Entry[] = [
    { text: t.card.open, icon: Maximize2, key: "Enter", onSelect: () => navigate(address, { state: FROM_PAGE }) },
    ...(may("card:edit") ? editing : []),
    { text: t.card.copyLink, icon: Link, key: "Y", onSelect: () => void copyLink(cardPublicId) },
    ...(may("card:edit") ? leaving : []),
    ...(may("card:delete") ? [deleteEntry(() => leave("card.delete"), card.title)] : []),
  ];
  return <Menu anchor={{ current: anchorOf(cardPublicId) }} entries={entries} close={close} />;
}

/** Deleting cannot be undone, so it asks. */
const deleteEntry = (onDelete: () => void, title: string): Entry => ({
  text: t.card.delete,
  icon: Trash2,
  isDanger: true,
  onSelect: () => confirm({ text: t.card.deleteAsks(title), action: t.card.delete, run: onDelete }),
});
