// The pages of instance admins. Loaded when they are first shown.

import { Gauge, type IconNode, ScrollText, Users } from "lucide";
import type { ReactNode } from "react";
import { SettingsFrame } from "../frame/SettingsFrame.js";
import { NotFound } from "../frame/UnavailablePage.js";
import { useIsInstanceAdmin } from "../session/start.js";
import { adminTexts } from "../texts/adminTexts.js";
import { Accounts } from "./Accounts.js";
import { AuditLog } from "./AuditLog.js";
import { InstanceStatus } from "./InstanceStatus.js";

interface Section {
  path: "users" | "audit" | "status";
  icon: IconNode;
  Content: () => ReactNode;
}

const SECTIONS: readonly Section[] = [
  { path: "users", icon: Users, Content: Accounts },
  { path: "audit", icon: ScrollText, Content: AuditLog },
  { path: "status", icon: Gauge, Content: InstanceStatus },
];

/** A section of the instance: its accounts unless the address names another. */
export default function Admin({ section }: { section: string | undefined }) {
  const isAdmin = useIsInstanceAdmin();
  const text = adminTexts;
  if (isAdmin === undefined) return null;
  if (!isAdmin) return <NotFound />;
  return (
    <SettingsFrame
      heading={text.heading}
      name={text.heading}
      sections={SECTIONS}
      names={text.sections}
      hrefOf={(path) => `/admin/${path}`}
      current={section}
    >
      {({ Content }) => <Content />}
    </SettingsFrame>
  );
}
