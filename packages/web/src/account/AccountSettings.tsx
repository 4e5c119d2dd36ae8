// The settings of the reader's account. Loaded when they are first shown.

import { useQuery } from "@tanstack/react-query";
import { Bell, CircleUserRound, Download, type IconNode, KeyRound, Monitor, Shield } from "lucide";
import type { ReactNode } from "react";
import { ReadPage } from "../frame/ReadPage.js";
import { SettingsFrame } from "../frame/SettingsFrame.js";
import { type Start, start } from "../session/start.js";
import { texts } from "../texts/later.js";
import { OwnData } from "./OwnData.js";
import { type Own, OwnContext } from "./own.js";
import { Profile } from "./Profile.js";
import { Security } from "./Security.js";
import { ThisBrowser } from "./ThisBrowser.js";
import { Tokens } from "./Tokens.js";
import { WhenToNotify } from "./WhenToNotify.js";
import "../styles/account.css";

interface Section {
  path: "profile" | "security" | "notifications" | "browser" | "tokens" | "data";
  icon: IconNode;
  Content: () => ReactNode;
  /** Whether somebody who came as a guest, without an address, has it too. */
  isForGuests?: true;
}

const SECTIONS: readonly Section[] = [
  { path: "profile", icon: CircleUserRound, Content: Profile, isForGuests: true },
  { path: "security", icon: Shield, Content: Security },
  { path: "notifications", icon: Bell, Content: WhenToNotify },
  { path: "browser", icon: Monitor, Content: ThisBrowser, isForGuests: true },
  { path: "tokens", icon: KeyRound, Content: Tokens },
  { path: "data", icon: Download, Content: OwnData, isForGuests: true },
];

/** The sections, and one of them: the first unless the address names another. */
export default function AccountSettings({ section }: { section: string | undefined }) {
  const query = useQuery(start);
  return <ReadPage of={query}>{(data) => <Sections of={data} section={section} />}</ReadPage>;
}

function Sections({ of: data, section }: { of: Start; section: string | undefined }) {
  const text = texts.account;
  const own: Own = { user: data.user, methods: data.instance.methods, workspaces: data.workspaces };
  return (
    <OwnContext value={own}>
      <SettingsFrame
        heading={text.heading}
        name={text.heading}
        sections={SECTIONS.filter(({ isForGuests }) => isForGuests || !own.user.isGuest)}
        names={text.sections}
        hrefOf={(path) => `/settings/account/${path}`}
        current={section}
      >
        {({ Content }) => <Content />}
      </SettingsFrame>
    </OwnContext>
  );
}
