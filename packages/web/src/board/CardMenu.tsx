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
import { texts } from "../texts/later.js";
import { useBoardState, useChange, useShownBoard } from "./context.js";
import { copyLink } from "./copyLink.js";
import { useIsShown } from "./filter/context.js";
import { focusNeighbour } from "./focus.js";
import type { PickedProperty } from "./slots.js";

interface Props {
  cardPublicId: string;
  rename: (cardPublicId: string) => void;
  move: (cardPublicId: string) => void;
  pick: (cardPublicId: string, property: PickedProperty) => void;
  close: () => void;
}

const NOT_SHOWN = { menuButton: { current: null }, title: { current: null } };

/** The menu of a card. There is one for all cards. */
export default function CardMenu({ cardPublicId, rename, move, pick, close }: Props) {
  const { open, may } = useShownBoard();
  const isShown = useIsShown();
  const [, navigate] = useLocation();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const change = useChange();
  if (card === undefined) return null;
  const isDone = card.completedAt !== null;
  const address = `/cards/${cardPublicId}`;
  const editing: Entry[] = [
    { text: texts.card.rename, icon: Pencil, key: "E", onSelect: () => rename(cardPublicId) },
    { text: texts.moving.move, icon: ArrowRight, key: "M", onSelect: () => move(cardPublicId) },
    { text: texts.card.pickLabels, icon: Tag, key: "L", onSelect: () => pick(cardPublicId, "labels") },
    { text: texts.card.pickPeople, icon: User, key: "P", onSelect: () => pick(cardPublicId, "people") },
    { text: texts.card.pickDueDate, icon: Calendar, key: "D", onSelect: () => pick(cardPublicId, "dueDate") },
    {
      text: isDone ? texts.card.reopen : texts.card.complete,
      icon: isDone ? RotateCcw : CircleCheck,
      key: "C",
      onSelect: () => change("card.update", { cardPublicId, completed: !isDone }),
    },
  ];
  /** Makes a change after which the card is gone. */
  const leave = (path: "card.archive" | "card.delete") => {
    focusNeighbour(open, [cardPublicId], isShown);
    change(path, { cardPublicId });
  };
  const isSelected = open.selection.ids.get().has(cardPublicId);
  const leaving: Entry[] = [
    {
      text: isSelected ? texts.selection.deselect : texts.selection.select,
      icon: SquareCheck,
      key: "X",
      onSelect: () => open.selection.toggle(cardPublicId),
    },
    "rule",
    { text: texts.card.archive, icon: Archive, key: "A", onSelect: () => leave("card.archive") },
  ];
  const entries: Entry[] = [
    { text: texts.card.open, icon: Maximize2, key: "Enter", onSelect: () => navigate(address, { state: FROM_PAGE }) },
    ...(may("card:edit") ? editing : []),
    { text: texts.card.copyLink, icon: Link, key: "Y", onSelect: () => void copyLink(cardPublicId) },
    ...(may("card:edit") ? leaving : []),
    ...(may("card:delete") ? [deleteEntry(() => leave("card.delete"), card.title)] : []),
  ];
  const { menuButton, title } = open.cards.get(cardPublicId) ?? NOT_SHOWN;
  return <Menu anchor={menuButton} focusAfter={title} entries={entries} close={close} />;
}

/** Deleting cannot be undone, so it asks. */
const deleteEntry = (onDelete: () => void, title: string): Entry => ({
  text: texts.card.delete,
  icon: Trash2,
  isDanger: true,
  onSelect: () => confirm({ text: texts.card.deleteAsks(title), action: texts.card.delete, run: onDelete }),
});
