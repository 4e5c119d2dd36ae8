// Search and commands over any page. Loaded when it first opens.

import { useState } from "react";
import * as keyline from "../parts/KeyLine.module.css";
import { Modal } from "../parts/Modal.js";
import * as palette from "../parts/Palette.module.css";
import { texts } from "../texts/later.js";
import { Finder } from "./Finder.js";
import * as styles from "./Search.module.css";

export default function SearchDialog({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  return (
    <Modal className={palette.palette} name={texts.search.heading} close={close}>
      {(end) => (
        <>
          <Finder text={text} setText={setText} close={end}>
            <span aria-hidden="true">
              <kbd>Esc</kbd>
            </span>
          </Finder>
          <div className={`${keyline.keyline} ${styles.keyline}`} aria-hidden="true">
            <span>
              <kbd>↑↓</kbd>
              <span>{texts.search.choose}</span>
            </span>
            <span>
              <kbd>Enter</kbd>
              <span>{texts.search.open}</span>
            </span>
            <span className="grow" />
            <span>{texts.search.jump}</span>
          </div>
        </>
      )}
    </Modal>
  );
}
