import { type ButtonHTMLAttributes, type RefObject, useRef, useState } from "react";
import { lazyComponent } from "./lazyComponent.js";
import type { Entry } from "./Menu.js";

const Menu = lazyComponent(() => import("./Menu.js"));

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  entries: () => readonly Entry[];
  ref?: RefObject<HTMLButtonElement | null>;
}

/** A button that opens a menu. The code of menus is loaded when the first one opens. */
export function MenuButton({ entries, children, ref: given, ...button }: Props) {
  const own = useRef<HTMLButtonElement>(null);
  const ref = given ?? own;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        {...button}
        ref={ref}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && <Menu anchor={ref} entries={entries()} close={() => setOpen(false)} />}
    </>
  );
}
