// A menu at whatever opened it. Loaded with the first one.

import { Menu as Base } from "@base-ui/react/menu";
import { Check, type IconNode } from "lucide";
import type { RefObject } from "react";
import { flushSync } from "react-dom";
import { Icon } from "./Icon.js";

/** An entry of a menu: an action, a choice of several, or a rule between groups. */
export type Entry =
  | { text: string; onSelect: () => void; icon?: IconNode; isDanger?: boolean; isChosen?: boolean; key?: string }
  | "rule";

interface Props {
  anchor: RefObject<HTMLElement | null>;
  entries: readonly Entry[];
  close: () => void;
  /** The element that takes the focus when it closes, by default the anchor. */
  focusAfter?: RefObject<HTMLElement | null>;
}

/** A menu is named by what it is of. */
const nameOf = (button: HTMLElement | null) => button?.ariaLabel ?? button?.textContent ?? undefined;

/** An open menu. It takes the focus, and gives it back before an entry acts, which may move it elsewhere. */
export default function Menu({ anchor, entries, close, focusAfter = anchor }: Props) {
  const select = (onSelect: () => void) => {
    flushSync(close);
    // The menu gives the focus back in a microtask, too.
    queueMicrotask(onSelect);
  };
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} align="start" sideOffset={4} className="positioner">
          <Base.Popup className="pop" finalFocus={focusAfter} aria-label={nameOf(anchor.current)}>
            {entries.map((entry, index) =>
              entry === "rule" ? (
                <Base.Separator key={index} className="rule" />
              ) : (
                <Base.Item
                  key={entry.text}
                  className={(state) => `item${state.highlighted ? " is-on" : ""}${entry.isDanger ? " danger" : ""}`}
                  onClick={() => select(entry.onSelect)}
                  {...(entry.isChosen !== undefined && { role: "menuitemradio", "aria-checked": entry.isChosen })}
                >
                  {entry.icon && <Icon of={entry.icon} />}
                  <span>{entry.text}</span>
                  {entry.isChosen && (
                    <span className="tick">
                      <Icon of={Check} />
                    </span>
                  )}
                  {entry.key !== undefined && (
                    <span className="keys" aria-hidden="true">
                      <kbd>{entry.key}</kbd>
                    </span>
                  )}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
