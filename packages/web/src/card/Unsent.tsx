import { CopyButton } from "../parts/CopyButton.js";
import { texts } from "../texts/later.js";
import * as styles from "./Text.module.css";

/** A text that can no longer be sent, for the reader to copy. */
export function Unsent({ label, text, discard }: { label: string; text: string; discard: () => void }) {
  return (
    <div className={styles.unsent}>
      <p className="hint">{texts.drafts.unsent}</p>
      <textarea className="input" readOnly aria-label={label} value={text} dir="auto" />
      <span className={styles.row}>
        <CopyButton text={text}>{texts.share.copy}</CopyButton>
        <button type="button" className="btn plain" onClick={discard}>
          {texts.drafts.discard}
        </button>
      </span>
    </div>
  );
}
