import { UserPlus } from "lucide";
import { useEffect, useState } from "react";
import { Icon } from "../parts/Icon.js";
import { lazyComponent } from "../parts/lazyComponent.js";
import { preloadWhenIdle } from "../parts/preloadWhenIdle.js";
import { t } from "../texts/index.js";

const ShareDialog = lazyComponent(() => import("./ShareDialog.js"));

/** Opens the dialog that shares the board. */
export function ShareButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => preloadWhenIdle(ShareDialog), []);
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
