import { type ButtonHTMLAttributes, type Ref, useImperativeHandle, useRef, useState } from "react";
import { lazyComponent } from "./lazyComponent.js";
import type { Entry } from "./Menu.js";

const Menu = lazyComponent(() => import("./Menu.js"));

/** The actions of keys on the button of a menu. */
export interface MenuHandle {
  open(): void;
  focus(): void;
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  ref?: Ref<MenuHandle>;
  entries: () => readonly Entry[];
}

/** A button that opens a menu. The code of menus is loaded when the first one opens. */
export function MenuButton({ ref: handle, entries, children, ...button }: Props) {
  const ref = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useImperativeHandle(handle, () => ({ open: () => setOpen(true), focus: () => ref.current?.focus() }), []);
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
