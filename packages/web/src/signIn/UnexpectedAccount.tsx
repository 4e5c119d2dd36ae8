// Asks before the page acts as an account that nobody signed in to with it. Loaded when that happens.

import { Modal } from "../parts/Modal.js";
import { acceptAccount, signOut } from "../queries.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { useUser } from "../user.js";
import "../styles/modal.css";

/** A question that closing answers with "continue". */
export default function UnexpectedAccount() {
  const user = useUser();
  const text = texts.unexpectedAccount;
  const heading = text.heading(user.name);
  return (
    <Modal className="alert modal" role="alertdialog" name={heading} close={() => acceptAccount(user)}>
      {(end) => (
        <>
          <h2>{heading}</h2>
          <p>{text.text(user.email)}</p>
          <div className="actions">
            <button className="btn l" type="button" onClick={() => void signOut()}>
              {t.frame.signOut}
            </button>
            <button className="btn primary l" type="button" onClick={end}>
              {text.proceed}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}
