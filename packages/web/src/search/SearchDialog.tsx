// Search and commands over any page. Loaded when it first opens.

import { useState } from "react";
import { Modal } from "../parts/Modal.js";
import { t } from "../texts/index.js";
import { Finder } from "./Finder.js";

export default function SearchDialog({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  return (
    <Modal className="palette" name={t.search.heading} close={close}>
      {(end) => (
        <>
          <Finder text={text} setText={setText} close={end}>
            <span aria-hidden="true">
              <kbd>Esc</kbd>
            </span>
          </Finder>
          <div className="keyline" aria-hidden="true">
            <span>
              <kbd>↑↓</kbd>
              {t.search.choose}
            </span>
            <span>
              <kbd>Enter</kbd>
              {t.search.open}
            </span>
            <span className="grow" />
            <span>{t.search.jump}</span>
          </div>
        </>
      )}
    </Modal>
  );
}
