import { Link } from "wouter";
import { Page } from "./frame/Frame.js";
import { t } from "./texts/index.js";

/** An address that leads nowhere. */
export const NotFound = () => <Missing heading={t.notFound.heading} text={t.notFound.text} />;

/** In place of a page that cannot be shown. */
export function Missing({ heading, text }: { heading: string; text: string }) {
  return (
    <Page heading={heading}>
      <div className="empty">
        <span className="sketch" aria-hidden="true" />
        <p>{text}</p>
        <Link className="btn" href="/">
          {t.notFound.home}
        </Link>
      </div>
    </Page>
  );
}
