import { Link } from "wouter";
import { Page } from "./frame/Frame.js";
import { t } from "./texts/index.js";

/** An address that leads nowhere. */
export const NotFound = () => <Missing heading={t.notFound.heading} text={t.notFound.text} />;

interface Props {
  heading: string;
  text: string;
  /** Tries to show the page again. */
  retry?: () => void;
}

/** In place of a page that cannot be shown. */
export function Missing({ heading, text, retry }: Props) {
  return (
    <Page heading={heading}>
      <div className="empty">
        <span className="sketch" aria-hidden="true" />
        <p>{text}</p>
        {retry === undefined ? (
          <Link className="btn" href="/">
            {t.notFound.home}
          </Link>
        ) : (
          <button className="btn" type="button" onClick={retry}>
            {t.retry}
          </button>
        )}
      </div>
    </Page>
  );
}
