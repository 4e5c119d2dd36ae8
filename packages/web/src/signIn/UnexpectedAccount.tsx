// Asks before the page acts as an account that nobody signed in to with it. Loaded when that happens.

import { useReducer, useRef } from "react";
import { Modal } from "../parts/Modal.js";
import { acceptAccount, signOut } from "../session/session.js";
import { useUser } from "../session/user.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import "../styles/modal.css";

/** A question that only its buttons answer: it stays after Escape and a click beside it. */
export default function UnexpectedAccount() {
  const user = useUser();
  const isAccepted = useRef(false);
  const [asked, askAgain] = useReducer((times: number) => times + 1, 0);
  const text = texts.unexpectedAccount;
  const heading = text.heading(user.name);
  return (
    <Modal
      key={asked}
      className="alert modal"
      role="alertdialog"
      name={heading}
      close={() => (isAccepted.current ? acceptAccount(user) : askAgain())}
    >
      {(end) => (
        <>
          <h2>{heading}</h2>
          <p>{text.text(user.email)}</p>
          <div className="actions">
            <button className="btn l" type="button" onClick={() => void signOut()}>
              {t.frame.signOut}
            </button>
            <button
              className="btn primary l"
              type="button"
              onClick={() => {
                isAccepted.current = true;
                end();
              }}
            >
              {text.proceed}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}
