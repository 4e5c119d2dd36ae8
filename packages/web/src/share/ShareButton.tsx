import { UserPlus } from "lucide";
import { useState } from "react";
import { Icon } from "../parts/Icon.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import { t } from "../texts/index.js";

const ShareDialog = lazyComponent(() => import("./ShareDialog.js"));

/** Opens the dialog that shares the board. */
export function ShareButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="btn" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon of={UserPlus} />
        <span>{t.board.share}</span>
      </button>
      {isOpen && <ShareDialog close={() => setOpen(false)} />}
    </>
  );
}
