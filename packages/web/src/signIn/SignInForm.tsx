import type { ReactNode } from "react";
import { onSubmit } from "../parts/onSubmit.js";
import { t } from "../texts/index.js";
import * as styles from "./SignIn.module.css";
import { SignInLayout } from "./SignInLayout.js";

interface Props {
  heading: string;
  /** Sends the form; left out if there is nothing to send. */
  send?: (form: FormData) => void;
  /** Stands below the form. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A page with one form, or one thing to read. */
export function SignInForm({ heading, send, aside, children }: Props) {
  return (
    <SignInLayout>
      <title>{t.title(heading)}</title>
      <form className={styles.form} aria-labelledby="heading" onSubmit={onSubmit((form) => send?.(form))}>
        <h1 id="heading" dir="auto">
          {heading}
        </h1>
        {children}
      </form>
      {aside}
    </SignInLayout>
  );
}

/** The result of a form, and a link to go on. The page is loaded anew there, because the session may have ended. */
export const Done = ({ heading, text, next }: { heading: string; text: string; next: string }) => (
  <SignInForm heading={heading}>
    <p role="status">{text}</p>
    <a className="btn primary l" href="/">
      {next}
    </a>
  </SignInForm>
);
