import type { ComponentProps, ReactNode } from "react";
import { Reload } from "../parts/Boundary.js";
import { TryAgain } from "../parts/TryAgain.js";
import { isSignOutUnconfirmed } from "../requests.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import * as styles from "./SignIn.module.css";

/** The layout of signing in and of links from mails: an otherwise empty page. */
export function SignInLayout({ children }: { children: ReactNode }) {
  const isUnconfirmed = useStore(isSignOutUnconfirmed, (value) => value);
  return (
    <div className={styles.sheet}>
      <main className={styles.column}>
        <div className={styles.head}>
          <span className="logo" aria-hidden="true" />
          <span>{t.product}</span>
          <span className="count truncate">{location.host}</span>
        </div>
        {isUnconfirmed && (
          <p className={styles.form} role="alert">
            {t.signOutUnconfirmed}
          </p>
        )}
        {children}
      </main>
      <footer className={styles.foot}>
        <a className="link" href="/guides">
          {t.guides}
        </a>
      </footer>
    </div>
  );
}

/** In place of the whole page. */
export const FailedLayout = () => (
  <SignInLayout>
    <div className={styles.form} role="alert">
      <h1>{t.failures.pageShown}</h1>
      <p>{t.failures.kept}</p>
      <Reload />
    </div>
  </SignInLayout>
);

/** In place of a page whose query failed. */
export const TryAgainLayout = ({ of: query }: ComponentProps<typeof TryAgain>) => (
  <SignInLayout>
    <div className={styles.form}>
      <h1>{t.failures.page}</h1>
      <TryAgain of={query} />
    </div>
  </SignInLayout>
);
