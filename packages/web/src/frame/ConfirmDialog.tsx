// Asks before something is done that cannot be undone. Loaded once the page is there.

import { useId } from "react";
import { confirmation, type Question } from "../parts/confirm.js";
import { Modal } from "../parts/Modal.js";
import { texts } from "../texts/later.js";
import "../styles/modal.css";

export default function ConfirmDialog({ text, details = [], action, run }: Question) {
  const id = useId();
  return (
    <Modal
      className="alert modal"
      role="alertdialog"
      name={text}
      describedBy={details.length > 0 ? id : undefined}
      close={() => confirmation.set(null)}
    >
      {(end) => (
        <>
          <h2>{text}</h2>
          {details.length > 0 && (
            <div className="details" id={id}>
              {details.map((one) => (
                <p key={one}>{one}</p>
              ))}
            </div>
          )}
          <div className="actions">
            <button className="btn l" type="button" onClick={end}>
              {texts.card.cancel}
            </button>
            <button
              className="btn danger solid l"
              type="button"
              onClick={() => {
                end();
                run();
              }}
            >
              {action}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}
