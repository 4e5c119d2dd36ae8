import { Link } from "wouter";
import { Page } from "./frame/Frame.js";
import { t } from "./texts/index.js";

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Page heading={t.notFound.heading}>
      <div className="empty">
        <span className="sketch" aria-hidden="true" />
        <p>{t.notFound.text}</p>
        <Link className="btn" href="/">
          {t.notFound.home}
        </Link>
      </div>
    </Page>
  );
}
