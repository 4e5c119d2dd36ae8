import type { Notification } from "./notifications.js";

/** Notifications about one card, or about one workspace, the newest first. */
export interface Group {
  /** The identifier of the card or the workspace. */
  publicId: string;
  card: Notification["card"];
  workspace: Notification["workspace"];
  notifications: Notification[];
}

/** Puts those together that are about the same thing. The thing of the newest one comes first. */
export function groupsOf(notifications: readonly Notification[]): Group[] {
  const groups = new Map<string, Group>();
  for (const notification of notifications) {
    const { card, workspace } = notification;
    const { publicId } = card ?? workspace;
    const group = groups.get(publicId) ?? { publicId, card, workspace, notifications: [] };
    group.notifications.push(notification);
    groups.set(publicId, group);
  }
  return [...groups.values()];
}
