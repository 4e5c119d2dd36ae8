// The shapes of workspaces (specification, Workspace; contract sections 2 and 3).

import { z } from "zod";
import { Name, Role, Text } from "../api/shapes.js";

export const WorkspaceName = Name(255);
export const WorkspaceDescription = Text(0, 5000);
/** What cards are quoted by: `PREFIX-12`. */
export const CardPrefix = z.string().regex(/^[A-Z0-9]{1,10}$/, "Must be 1 to 10 of A-Z and 0-9");
/** 0 is Sunday. */
export const WeekStartDay = z.int().min(0).max(6);

/** A workspace as the specification shows it (4.4). */
export const Workspace = z.object({
  publicId: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  plan: z.enum(["free", "team", "pro", "enterprise"]),
  showEmailsToMembers: z.boolean(),
  weekStartDay: WeekStartDay,
});

/** A workspace as one of its people sees it. */
export const OwnWorkspace = Workspace.extend({ cardPrefix: z.string(), role: Role });

/** A workspace in the list of the caller's own. */
export const WorkspaceSummary = Workspace.pick({
  publicId: true,
  name: true,
  slug: true,
  description: true,
  plan: true,
}).extend({ role: Role });
