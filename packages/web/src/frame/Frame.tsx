import { CircleUser, Search, SquareKanban } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { AccountMenu } from "./AccountMenu.js";
import { SideBar } from "./SideBar.js";
import { WithOverlays } from "./WithOverlays.js";

/** Around every page of people who are signed in: the side bar, or on a phone the dock. */
export function Frame({ children }: { children: ReactNode }) {
  const [isHome] = useRoute("/");
  const [isSearch] = useRoute("/search");
  return (
    <WithOverlays>
      <div className="app">
        <a className="btn skip" href="#content">
          {t.skip}
        </a>
        <SideBar />
        {children}
        <nav className="dock" aria-label={t.frame.main}>
          <Link href="/" aria-current={isHome ? "page" : undefined}>
            <Icon of={SquareKanban} />
            {t.frame.boards}
          </Link>
          <Link href="/search" aria-current={isSearch ? "page" : undefined}>
            <Icon of={Search} />
            {t.frame.search}
          </Link>
          <AccountMenu className="">
            <Icon of={CircleUser} />
            {t.frame.account}
          </AccountMenu>
        </nav>
      </div>
    </WithOverlays>
  );
}

/** A page: its name, what its header offers, and its content. */
export function Page({ heading, tools, children }: { heading: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <main className="main" id="content">
      <title>{t.title(heading)}</title>
      <header className="head">
        <h1 className="truncate">{heading}</h1>
        <span className="grow" />
        {tools}
      </header>
      {children}
    </main>
  );
}
