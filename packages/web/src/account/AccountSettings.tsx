// The settings of the reader's account. Loaded when they are first shown.

import { useQuery } from "@tanstack/react-query";
import { Bell, CircleUserRound, Download, KeyRound, type LucideIcon, Monitor, Shield } from "lucide-react";
import type { ReactNode } from "react";
import { failureOf } from "../client.js";
import { SettingsFrame } from "../frame/SettingsFrame.js";
import { Missing, NotFound } from "../NotFound.js";
import { start } from "../queries.js";
import { t } from "../texts/index.js";
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
  icon: LucideIcon;
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

const hrefOf = (path: string) => `/settings/account/${path}`;

/** The sections, and one of them: the first unless the address names another. */
export default function AccountSettings({ section }: { section: string | undefined }) {
  const { data, error } = useQuery(start);
  const text = texts.account;
  if (data === undefined) {
    return error === null ? null : <Missing heading={t.notFound.heading} text={failureOf(error).text} />;
  }
  const own: Own = { user: data.user, methods: data.instance.methods, workspaces: data.workspaces };
  const offered = SECTIONS.filter(({ isForGuests }) => isForGuests || !own.user.isGuest);
  const shown = section === undefined ? offered[0] : offered.find(({ path }) => path === section);
  if (shown === undefined) return <NotFound />;
  const sections = offered.map(({ path, icon }) => ({ href: hrefOf(path), name: text.sections[path], icon }));
  return (
    <OwnContext value={own}>
      <SettingsFrame heading={text.heading} groups={[{ name: text.heading, sections }]} current={hrefOf(shown.path)}>
        <shown.Content />
      </SettingsFrame>
    </OwnContext>
  );
}
