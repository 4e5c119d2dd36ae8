// The shapes of workspaces (specification, Workspace; contract sections 2 and 3).

import { z } from "zod";
import { Me } from "../access/membership.js";
import { Name, Role, Text, WorkspaceId } from "../api/shapes.js";

/** The path parameter of a workspace. */
export const ofWorkspace = { workspacePublicId: WorkspaceId };

export const WorkspaceName = Name(255);
export const WorkspaceDescription = Text(0, 5000);
/** The prefix by which cards are quoted: `PREFIX-12`. */
export const CardPrefix = z
  .string()
  .regex(/^[A-Z0-9]{1,10}$/, "Must be 1 to 10 characters from A-Z and 0-9")
  .meta({ description: "The prefix of card numbers: people refer to card 12 as `PREFIX-12`." });
/** 0 is Sunday. */
export const WeekStartDay = z
  .int()
  .min(0)
  .max(6)
  .meta({ description: "The day on which weeks begin: 0 is Sunday, 6 Saturday." });

const summaryFields = {
  publicId: z.string(),
  name: z.string(),
  slug: z.string().meta({ description: "The name of the workspace in URLs, unique in the service." }),
  description: z.string(),
  plan: z.enum(["free", "team", "pro", "enterprise"]).meta({ description: "For display only." }),
};

const workspaceFields = {
  ...summaryFields,
  showEmailsToMembers: z.boolean().meta({ description: "Whether members see the email addresses of others." }),
  weekStartDay: WeekStartDay,
};

const role = Role.meta({ description: "The role of the caller." });

/** A workspace as the specification shows it (4.4). */
export const Workspace = z
  .object(workspaceFields)
  .meta({ id: "Workspace", description: "A workspace with its settings." });

/** A workspace as one of its people sees it. */
export const OwnWorkspace = z
  .object({
    ...workspaceFields,
    cardPrefix: z.string().meta({ description: "The prefix of card numbers: people refer to card 12 as `PREFIX-12`." }),
    role,
    me: Me,
  })
  .meta({ id: "OwnWorkspace", description: "A workspace with its settings, as one of its members sees it." });

/** A workspace in the list of the caller's own. */
export const WorkspaceSummary = z
  .object({ ...summaryFields, role, me: Me })
  .meta({ id: "WorkspaceSummary", description: "A workspace in the list of the caller's workspaces." });

/** Whether a slug is taken or reserved. */
export const SlugCheck = z
  .object({ isReserved: z.boolean().meta({ description: "True if the slug cannot be used." }) })
  .meta({ id: "SlugCheck", description: "Whether a slug can be used." });
