import { type ReactNode, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { t } from "../texts/index.js";
import { Announcements } from "./Announcements.js";
import { Boundary, FailedPart } from "./Boundary.js";

interface Props {
  className: string | undefined;
  name: string;
  role?: "alertdialog";
  /** The identifier of the element that says more. */
  describedBy?: string | undefined;
  /** Is called once it has closed, and the focus is back where it was. */
  close: () => void;
  /** Its content, which may close it by the function that it gets. */
  children: (end: () => void) => ReactNode;
}

/** Rendered by itself, so that the dialog stays when it fails. */
const Content = ({ of: render }: { of: () => ReactNode }) => render();

/** A dialog over whatever is there, also over another dialog. Escape and a click beside it close it. */
export function Modal({ className, name, role, describedBy, close, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => ref.current?.showModal(), []);
  const end = () => ref.current?.close();
  // Beside the page, which is hidden to screen readers while a card is open.
  return createPortal(
    <dialog
      ref={ref}
      className={className}
      role={role}
      aria-label={name}
      aria-describedby={describedBy}
      onClose={close}
      onClick={({ target }) => target === ref.current && end()}
      // A dialog below must not close with it.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <Boundary fallback={<FailedPart heading={t.failures.dialogShown} />}>
        <Content of={() => children(end)} />
      </Boundary>
      <Announcements />
    </dialog>,
    document.body,
  );
}
