import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide";
import { type ReactNode, useState } from "react";
import { t } from "../texts/index.js";
import { Boundary, FailedPart } from "./Boundary.js";
import { Icon } from "./Icon.js";
import { latestControl } from "./keepFocus.js";
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
  const [opener] = useState(latestControl);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" forceRender />
        <Dialog.Popup className="modal" finalFocus={() => (opener?.isConnected ? opener : true)}>
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
