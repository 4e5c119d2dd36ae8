import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useId, useRef, useState } from "react";
import { useSingleKeys } from "../keys/singleKeys.js";
import * as pickerStyles from "../parts/Picker.module.css";
import * as styles from "./Card.module.css";

interface Props {
  /** The name of the property, and of the button that opens the picker. */
  name: string;
  canEdit: boolean;
  /** The key that opens the picker, if it has one. */
  shortcut?: string;
  /** The value as it is. */
  children: ReactNode;
  /** The content of the open picker. */
  picker: (close: () => void) => ReactNode;
}

/** A property of a card: its name opens a picker for its value. */
export function Picker({ name, canEdit, shortcut, children, picker }: Props) {
  const [isOpen, setOpen] = useState(false);
  const value = useRef<HTMLDivElement>(null);
  const id = useId();
  useSingleKeys(canEdit && shortcut !== undefined ? { [shortcut]: () => setOpen(true) } : {}, ["card"]);
  if (!canEdit) {
    return (
      <div>
        <span className={styles.propertyName}>{name}</span>
        <div className={styles.property}>{children}</div>
      </div>
    );
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <div>
        <span className={styles.propertyName}>
          <Popover.Trigger aria-describedby={id}>{name}</Popover.Trigger>
        </span>
        <div id={id} className={styles.property} ref={value}>
          {children}
        </div>
      </div>
      <Popover.Portal>
        <Popover.Positioner anchor={value} align="start" sideOffset={4} className="positioner">
          <Popover.Popup className={`pop ${pickerStyles.picker}`} aria-label={name}>
            {picker(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
