// All keys, and the switch of those that act anywhere. Loaded when it first opens.

import { X } from "lucide";
import { Icon } from "../parts/Icon.js";
import { Modal } from "../parts/Modal.js";
import * as palette from "../parts/Palette.module.css";
import { texts } from "../texts/later.js";
import { capOf } from "./caps.js";
import * as styles from "./KeyList.module.css";
import { SingleKeysSwitch } from "./SingleKeysSwitch.js";

export default function KeyList({ close }: { close: () => void }) {
  return (
    <Modal className={`${palette.palette} ${styles.dialog}`} name={texts.keys.heading} close={close}>
      {(end) => (
        <>
          <header className="head">
            <h2>{texts.keys.heading}</h2>
            <span className="grow" />
            <button type="button" className="btn plain icon" aria-label={texts.keys.close} onClick={end}>
              <Icon of={X} />
            </button>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section className={styles.list} tabIndex={0} aria-label={texts.keys.heading}>
            {texts.keys.groups.map(({ name, keys }) => (
              <section key={name}>
                <h3 className="legend">{name}</h3>
                <dl>
                  {keys.map(([does, ...caps]) => (
                    <div className="item" key={does}>
                      <dt>{does}</dt>
                      <dd className="keys">
                        {caps.map((cap) => (
                          <kbd key={cap}>{capOf(cap)}</kbd>
                        ))}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </section>
          <p className="hint">{texts.keys.focusMode}</p>
          <SingleKeysSwitch />
        </>
      )}
    </Modal>
  );
}
