import { CircleUser, Search, SquareKanban } from "lucide";
import { type ComponentProps, type ReactNode, useEffect } from "react";
import { Link, useRoute } from "wouter";
import { Icon } from "../parts/Icon.js";
import { useIsOnline } from "../parts/network.js";
import { setTimeZone } from "../session/timeZone.js";
import { useUser } from "../session/user.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { AccountMenu } from "./AccountMenu.js";
import * as styles from "./Frame.module.css";
import { isFolded } from "./folding.js";
import { NotificationsLink } from "./NotificationsLink.js";
import { useOpened } from "./opened.js";
import { SideBar } from "./SideBar.js";
import { useSpokenConnection } from "./spokenConnection.js";
import { TabTitle } from "./TabTitle.js";
import { WithOverlays } from "./WithOverlays.js";

/** Around every page of people who are signed in: the side bar, or on a phone the dock. */
export function Frame({ SearchDialog, children }: ComponentProps<typeof WithOverlays>) {
  const user = useUser();
  const isRail = useStore(isFolded, (value) => value);
  useEffect(() => void setTimeZone(user).catch(() => {}), [user]);
  const [isHome] = useRoute("/");
  const [isSearch] = useRoute("/search");
  return (
    <WithOverlays SearchDialog={SearchDialog}>
      <div className={isRail ? `${styles.app} ${styles.rail}` : styles.app}>
        <a className={`btn ${styles.skip}`} href="#content">
          {t.skip}
        </a>
        <SideBar />
        {children}
        <nav className={styles.dock} aria-label={t.frame.main}>
          <Link href="/" aria-current={isHome ? "page" : undefined}>
            <Icon of={SquareKanban} />
            <span>{t.frame.boards}</span>
          </Link>
          <Link href="/search" aria-current={isSearch ? "page" : undefined}>
            <Icon of={Search} />
            <span>{t.frame.search}</span>
          </Link>
          <NotificationsLink />
          <AccountMenu className="">
            <Icon of={CircleUser} />
            <span>{t.frame.account}</span>
          </AccountMenu>
        </nav>
      </div>
    </WithOverlays>
  );
}

/** A page: its name, what its header offers, and its content. */
export function Page({ heading, tools, children }: { heading: string; tools?: ReactNode; children: ReactNode }) {
  const isOnline = useIsOnline();
  useOpened(heading);
  useSpokenConnection(isOnline, t.frame.offline);
  return (
    <main className="main" id="content">
      <TabTitle of={heading} />
      <header className="head">
        <h1 className="truncate">{heading}</h1>
        <span className="grow" />
        {!isOnline && (
          <span role="status" aria-live="off" aria-label={t.board.connection} className="connection is-out">
            {t.frame.offline}
          </span>
        )}
        {tools}
      </header>
      {children}
    </main>
  );
}
