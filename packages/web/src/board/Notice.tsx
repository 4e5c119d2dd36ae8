import { Copy } from "lucide";
import { Icon } from "../parts/Icon.js";
import { storeOf, useStore } from "../store.js";

const SHOWN_MS = 4000;

const noticed = storeOf("");
let timer: ReturnType<typeof setTimeout>;

/** Says for a while whether something was copied. */
export function notice(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => noticed.set(""), SHOWN_MS);
  noticed.set(text);
}

/** Whether the last copy succeeded. */
export function Notice() {
  const text = useStore(noticed, (value) => value);
  return (
    <div role="status">
      {text !== "" && (
        <div className="toast">
          <Icon of={Copy} />
          <span>{text}</span>
        </div>
      )}
    </div>
  );
}
