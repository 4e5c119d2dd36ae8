import type { IconNode } from "lucide";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import { Page } from "./Frame.js";
import { NotFound } from "./UnavailablePage.js";
import "../styles/settings.css";
import * as styles from "./Frame.module.css";

interface Props<Path extends string, Section extends { path: Path; icon: IconNode }> {
  heading: string;
  /** The name of the thing that is set. */
  name: string;
  /** The sections that the reader may use. */
  sections: readonly Section[];
  names: Record<Path, string>;
  hrefOf: (path: string) => string;
  /** The section that the address names; the first one is shown if it names none. */
  current: string | undefined;
  /** The content of a section. */
  children: (section: Section) => ReactNode;
}

/** Settings: the section that is shown, beside the way to the others. */
export function SettingsFrame<Path extends string, Section extends { path: Path; icon: IconNode }>({
  heading,
  name,
  sections,
  names,
  hrefOf,
  current = sections[0]?.path,
  children,
}: Props<Path, Section>) {
  const shown = sections.find(({ path }) => path === current);
  if (shown === undefined) return <NotFound />;
  return (
    <Page heading={heading}>
      <div className="scroll">
        <div className={styles.settings}>
          <nav aria-label={texts.settings.heading}>
            <h2 className="truncate" dir="auto">
              {name}
            </h2>
            {sections.map((section) => (
              <Link
                key={section.path}
                className={styles.nav}
                href={hrefOf(section.path)}
                aria-current={section === shown ? "page" : undefined}
              >
                <Icon of={section.icon} />
                <span>{names[section.path]}</span>
              </Link>
            ))}
          </nav>
          <div className="page narrow">{children(shown)}</div>
        </div>
      </div>
    </Page>
  );
}
