// Accounts as operators see them (capabilities section 4): in answers, and in what commands print.

import { z } from "zod";
import { Timestamp } from "../api/shapes.js";

export const PersonStatus = z.enum(["active", "disabled", "guest"]);
export type PersonStatus = z.output<typeof PersonStatus>;

export const AdminUser = z
  .object({
    publicId: z.string(),
    name: z.string(),
    email: z.string().nullable().meta({ description: "Null for an accountless guest." }),
    status: PersonStatus.meta({ description: "`guest`: an accountless guest. A disabled guest is `disabled`." }),
    isAdmin: z.boolean().meta({ description: "Whether the account is an instance admin." }),
    createdAt: Timestamp,
    lastSeenAt: Timestamp.nullable().meta({
      description: "The last sign-in or use of a token, to the minute; null if there was none.",
    }),
    workspaceCount: z.int().min(0).meta({ description: "How many workspaces the account belongs to." }),
  })
  .meta({ id: "AdminUser", description: "An account as an instance admin sees it." });
export type AdminUser = z.output<typeof AdminUser>;

export const CreatedUser = z
  .object({
    user: AdminUser,
    setPasswordUrl: z.string().meta({
      description: "The link by which the person sets a password. It is shown only here. Pass it on safely.",
    }),
  })
  .meta({ id: "CreatedUser", description: "A new account, and the link by which its owner gets in." });
export type CreatedUser = z.output<typeof CreatedUser>;

export const ResetLink = z
  .object({
    url: z.string().meta({ description: "The link that sets a new password. It is shown only here." }),
    expiresAt: Timestamp.meta({ description: "When the link stops working." }),
  })
  .meta({ id: "ResetLink", description: "A link that sets a new password, once." });
export type ResetLink = z.output<typeof ResetLink>;
