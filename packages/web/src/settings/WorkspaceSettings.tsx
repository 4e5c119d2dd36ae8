// The settings of a workspace. Loaded when they are first shown.

import { useQuery } from "@tanstack/react-query";
import { Archive, House, type IconNode, Tag, Users, Webhook } from "lucide";
import type { ReactNode } from "react";
import type { Permission } from "work-board-client";
import { settingsOfWorkspace } from "../addresses.js";
import { ReadPage } from "../frame/ReadPage.js";
import { SettingsFrame } from "../frame/SettingsFrame.js";
import type { OwnWorkspace } from "../session/boards.js";
import { workspaceSettings } from "../session/boards.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { ArchivedBoards } from "./ArchivedBoards.js";
import { General } from "./General.js";
import { Members } from "./Members.js";
import { Tags } from "./Tags.js";
import { WebhookPage } from "./WebhookPage.js";
import { Webhooks } from "./Webhooks.js";

interface Section {
  path: "general" | "members" | "tags" | "webhooks" | "archive";
  icon: IconNode;
  needs: Permission;
  Content: (props: { workspace: OwnWorkspace }) => ReactNode;
}

const SECTIONS: readonly Section[] = [
  { path: "general", icon: House, needs: "workspace:edit", Content: General },
  { path: "members", icon: Users, needs: "workspace:view", Content: Members },
  { path: "tags", icon: Tag, needs: "tag:edit", Content: Tags },
  { path: "webhooks", icon: Webhook, needs: "webhook:manage", Content: Webhooks },
  { path: "archive", icon: Archive, needs: "board:create", Content: ArchivedBoards },
];

interface Props {
  workspacePublicId: string;
  section: string | undefined;
  /** The webhook that is shown, in the section of webhooks. */
  webhookPublicId?: string;
}

/** The sections that the reader may use, and one of them: the first unless the address names another. */
export default function WorkspaceSettings({ workspacePublicId, section, webhookPublicId }: Props) {
  const query = useQuery(workspaceSettings(workspacePublicId));
  return (
    <ReadPage of={query}>
      {(workspace) => (
        <SettingsFrame
          heading={t.home.settings(workspace.name)}
          name={workspace.name}
          sections={SECTIONS.filter(({ needs }) => workspace.me.permissions.includes(needs))}
          names={texts.settings.sections}
          hrefOf={(path) => settingsOfWorkspace(workspacePublicId, path)}
          current={section}
        >
          {({ path, Content }) =>
            path === "webhooks" && webhookPublicId !== undefined ? (
              <WebhookPage workspacePublicId={workspacePublicId} webhookPublicId={webhookPublicId} />
            ) : (
              <Content workspace={workspace} />
            )
          }
        </SettingsFrame>
      )}
    </ReadPage>
  );
}
