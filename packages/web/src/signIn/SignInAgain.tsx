// Signing in again over the page, when its session has ended. Loaded when that happens.

import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { Announcements } from "../parts/Announcements.js";
import { onSubmit } from "../parts/onSubmit.js";
import { signOut } from "../session/session.js";
import { useUser } from "../session/user.js";
import { texts } from "../texts/later.js";
import { Credentials, useAttempt } from "./Credentials.js";
import { signInMethods } from "./queries.js";
import "../styles/modal.css";

/** Notes where the focus and the caret are. Returns a function that puts them back there. */
function noteFocus(): () => void {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement)) return () => {};
  const field = element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement ? element : null;
  const [start, end] = [field?.selectionStart ?? null, field?.selectionEnd ?? null];
  return () => {
    element.focus({ preventScroll: true });
    if (start !== null) field?.setSelectionRange(start, end);
  };
}

/** A dialog that stays until somebody is signed in. Nothing below it is lost. */
export default function SignInAgain() {
  const user = useUser();
  const methods = useQuery(signInMethods).data;
  const attempt = useAttempt(false);
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    const giveBack = noteFocus();
    dialog?.showModal();
    // The address is known.
    dialog?.querySelector<HTMLElement>("[type=password]")?.focus();
    return () => {
      dialog?.close();
      giveBack();
    };
  }, []);
  const needsPage = methods !== undefined && (!methods.password || methods.oidc.length > 0);
  // Beside the page, which is hidden to screen readers while a card is open.
  return createPortal(
    <dialog
      ref={ref}
      className="alert modal"
      aria-label={texts.signInAgain.heading}
      onCancel={(event) => event.preventDefault()}
      // Browsers let a second Escape pass.
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
      // The page below must not hear it.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <form className="modal-body" onSubmit={onSubmit((values) => attempt.send(values))}>
        <h2>{texts.signInAgain.heading}</h2>
        <p>{texts.signInAgain.text(user.name)}</p>
        {methods?.password !== false && <Credentials attempt={attempt} isNew={false} email={user.email ?? undefined} />}
        {needsPage && (
          <a className="btn l" href="/" target="_blank" rel="noreferrer">
            {texts.signInAgain.otherTab}
          </a>
        )}
        <button type="button" className="btn plain" onClick={() => void signOut()}>
          {texts.signInAgain.leave(user.name)}
        </button>
      </form>
      <Announcements />
    </dialog>,
    document.body,
  );
}
