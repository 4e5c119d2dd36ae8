import { Copy, type IconNode } from "lucide";
import { announce } from "../parts/announce.js";
import { Icon } from "../parts/Icon.js";
import { storeOf, useStore } from "../store.js";

const SHOWN_MS = 4000;

const NOTHING = { text: "", icon: Copy };

const noticed = storeOf(NOTHING);
let timer: ReturnType<typeof setTimeout>;

/** Says something for a while, such as whether something was copied. */
export function notice(text: string, icon: IconNode = Copy): void {
  clearTimeout(timer);
  timer = setTimeout(() => noticed.set(NOTHING), SHOWN_MS);
  noticed.set({ text, icon });
  announce(text);
}

/** The last notice. */
export function Notice() {
  const { text, icon } = useStore(noticed, (value) => value);
  return (
    <div role="status" aria-live="off">
      {text !== "" && (
        <div className="toast">
          <Icon of={icon} />
          <span>{text}</span>
        </div>
      )}
    </div>
  );
}
