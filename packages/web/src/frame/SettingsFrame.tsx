import type { LucideIcon } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import { Page } from "./Frame.js";
import "../styles/settings.css";

/** A part of the settings, with an address of its own. */
export interface SettingsSection {
  href: string;
  name: string;
  icon: LucideIcon;
}

interface Props {
  heading: string;
  /** The sections, under the name of what they set. */
  groups: readonly { name: string; sections: readonly SettingsSection[] }[];
  /** The address of the section that is shown. */
  current: string;
  children: ReactNode;
}

/** Settings: the section that is shown, beside the way to the others. */
export const SettingsFrame = ({ heading, groups, current, children }: Props) => (
  <Page heading={heading}>
    <div className="scroll">
      <div className="settings">
        <nav aria-label={texts.settings.heading}>
          {groups.map(({ name, sections }) => (
            <Fragment key={name}>
              <h2 className="truncate" dir="auto">
                {name}
              </h2>
              {sections.map((section) => (
                <Link
                  key={section.href}
                  className="nav"
                  href={section.href}
                  aria-current={section.href === current ? "page" : undefined}
                >
                  <Icon of={section.icon} />
                  {section.name}
                </Link>
              ))}
            </Fragment>
          ))}
        </nav>
        <div className="page narrow">{children}</div>
      </div>
    </div>
  </Page>
);
