import { Popover } from "@base-ui/react/popover";
import type { IconNode } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "../../parts/Icon.js";
import * as picker from "../../parts/Picker.module.css";

interface Props {
  name: string;
  icon: IconNode;
  /** The key that opens it from a selected card. */
  shortcut: string;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  children: ReactNode;
}

/** A button that opens a picker for a property of the selected cards. */
export function BulkPicker({ name, icon, shortcut, isOpen, setOpen, children }: Props) {
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="btn s" aria-keyshortcuts={shortcut}>
        <Icon of={icon} />
        <span>{name}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={4} className="positioner">
          <Popover.Popup className={`pop ${picker.picker}`} aria-label={name}>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
