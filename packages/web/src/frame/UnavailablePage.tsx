import type { ReactElement } from "react";
import { Link } from "wouter";
import { Reload } from "../parts/Boundary.js";
import { t } from "../texts/index.js";
import { Page } from "./Frame.js";

/** An address that leads nowhere. */
export const NotFound = () => <UnavailablePage heading={t.notFound.heading} text={t.notFound.text} />;

interface Props {
  heading: string;
  text: string;
  /** The next step, in place of the link to all boards. */
  action?: ReactElement;
}

/** In place of a page that cannot be shown. */
export function UnavailablePage({ heading, text, action }: Props) {
  return (
    <Page heading={heading}>
      <div className="empty">
        <span className="sketch" aria-hidden="true" />
        <p>{text}</p>
        {action ?? (
          <Link className="btn" href="/">
            {t.notFound.home}
          </Link>
        )}
      </div>
    </Page>
  );
}

/** In place of a page that failed to render. */
export const FailedPage = () => (
  <UnavailablePage heading={t.failures.pageShown} text={t.failures.kept} action={<Reload />} />
);
