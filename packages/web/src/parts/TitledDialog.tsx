import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide";
import type { ReactNode } from "react";
import { t } from "../texts/index.js";
import { Boundary, FailedPart } from "./Boundary.js";
import { Icon } from "./Icon.js";
import "../styles/modal.css";

/** A dialog in the middle of the page. Escape and clicking beside it close it. */
export function TitledDialog({
  heading,
  close,
  children,
}: {
  heading: string;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" forceRender />
        <Dialog.Popup className="modal">
          <header className="modal-head">
            <Dialog.Title className="truncate" dir="auto">
              {heading}
            </Dialog.Title>
            <Dialog.Close className="btn plain icon" aria-label={t.card.close}>
              <Icon of={X} />
            </Dialog.Close>
          </header>
          <div className="modal-body">
            <Boundary fallback={<FailedPart heading={t.failures.dialogShown} />}>{children}</Boundary>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
