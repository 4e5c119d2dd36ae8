import { ArrowDown, ArrowUp, Ellipsis, Pencil, Trash2 } from "lucide";
import { useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { CardDetails } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { EditedText } from "../board/EditedText.js";
import { confirm } from "../parts/confirm.js";
import { Icon } from "../parts/Icon.js";
import type { Entry } from "../parts/Menu.js";
import { MenuButton } from "../parts/MenuButton.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";

export const ITEM_MAX = 500;

interface Props {
  item: CardDetails["checklists"][number]["items"][number];
  index: number;
  /** The number of items of the checklist. */
  size: number;
  canEdit: boolean;
}

/** An item: its checkbox, named by its title, and a menu to rename, move and delete it. */
export function ChecklistItem({ item, index, size, canEdit }: Props) {
  const { publicId: itemPublicId, title, completed } = item;
  const change = useChange();
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const [isEdited, setEdited] = useState(false);
  const close = (isByKey: boolean) => {
    flushSync(() => setEdited(false));
    if (isByKey) box.current?.focus();
  };
  return (
    <li className={completed ? `${styles.todo} ${styles.isDone}` : styles.todo}>
      <input
        ref={box}
        id={id}
        type="checkbox"
        className="check"
        checked={completed}
        disabled={!canEdit}
        aria-label={isEdited ? title : undefined}
        onChange={({ currentTarget }) =>
          change("card.checklists.updateItem", { itemPublicId, completed: currentTarget.checked })
        }
      />
      {isEdited ? (
        <EditedText
          text={title}
          label={texts.checklists.titleOf}
          maxLength={ITEM_MAX}
          save={(next) => change("card.checklists.updateItem", { itemPublicId, title: next })}
          close={close}
        />
      ) : (
        <label htmlFor={id} dir="auto">
          {title}
        </label>
      )}
      {canEdit && !isEdited && <ItemMenu item={item} index={index} size={size} rename={() => setEdited(true)} />}
    </li>
  );
}

interface MenuProps extends Omit<Props, "canEdit"> {
  rename: () => void;
}

function ItemMenu({ item: { publicId: itemPublicId, title }, index, size, rename }: MenuProps) {
  const change = useChange();
  const moveTo = (to: number) => change("card.checklists.updateItem", { itemPublicId, index: to });
  const entries = (): Entry[] => [
    { text: texts.card.rename, icon: Pencil, onSelect: rename },
    ...(index > 0 ? [{ text: texts.checklists.moveUp, icon: ArrowUp, onSelect: () => moveTo(index - 1) }] : []),
    ...(index < size - 1
      ? [{ text: texts.checklists.moveDown, icon: ArrowDown, onSelect: () => moveTo(index + 1) }]
      : []),
    {
      text: texts.card.delete,
      icon: Trash2,
      isDanger: true,
      onSelect: () =>
        confirm({
          text: texts.checklists.deleteItemAsks(title),
          action: texts.card.delete,
          run: () => change("card.checklists.deleteItem", { itemPublicId }),
        }),
    },
  ];
  return (
    <MenuButton className="btn plain icon s" aria-label={t.card.actionsFor(title)} entries={entries}>
      <Icon of={Ellipsis} />
    </MenuButton>
  );
}
