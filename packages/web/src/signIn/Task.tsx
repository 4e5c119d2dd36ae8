import type { ReactNode } from "react";
import { onSubmit } from "../parts/onSubmit.js";
import { t } from "../texts/index.js";
import { Sheet } from "./Sheet.js";

interface Props {
  heading: string;
  /** Sends the form; left out if there is nothing to send. */
  send?: (form: FormData) => void;
  /** Stands below the form. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A sheet with one thing to do, or to read. */
export function Task({ heading, send, aside, children }: Props) {
  return (
    <Sheet>
      <title>{t.title(heading)}</title>
      <form className="form" aria-labelledby="heading" onSubmit={onSubmit((form) => send?.(form))}>
        <h1 id="heading" dir="auto">
          {heading}
        </h1>
        {children}
      </form>
      {aside}
    </Sheet>
  );
}

/** The outcome of a task, and a link to go on. The page is loaded anew there, because the session may have ended. */
export const Done = ({ heading, text, next }: { heading: string; text: string; next: string }) => (
  <Task heading={heading}>
    <p role="status">{text}</p>
    <a className="btn primary l" href="/">
      {next}
    </a>
  </Task>
);
