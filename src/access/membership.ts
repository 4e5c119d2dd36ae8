// The membership of a caller, as answers show it (clients section 1, Who am I here).

import { z } from "zod";
import type { Signed } from "../api/context.js";
import { Role } from "../api/shapes.js";
import type { BoardAccess, WorkspaceAccess } from "./guards.js";
import { PERMISSIONS, permissionsOf } from "./permissions.js";

const Permission = z
  .enum(PERMISSIONS)
  .meta({ id: "Permission", description: "What a caller may do: a kind of thing, and what is done with it." });

/** The membership of the caller in an answer. */
export const Me = z
  .object({
    memberPublicId: z.string().meta({ description: "The identifier of the caller as a member of the workspace." }),
    role: Role,
    permissions: z.array(Permission).meta({
      description:
        "What the caller may do here with this token, sorted by name. A `read` token has only permissions that end with `:view`. On an archived board nobody may change lists, cards and comments.",
    }),
  })
  .meta({ id: "Me", description: "The membership of the caller, and what it permits." });

type Membership = Pick<WorkspaceAccess, "memberPublicId" | "role">;

/** The caller in a workspace. */
export const meIn = ({ user }: Pick<Signed, "user">, { memberPublicId, role }: Membership) => ({
  memberPublicId,
  role,
  permissions: [...permissionsOf(role, { scope: user.token.scope })],
});

/** The caller on a board. Callers with the same permissions share the list. */
export const meOn = (
  { user }: Pick<Signed, "user">,
  { memberPublicId, role, boardArchivedAt }: Membership & Pick<BoardAccess, "boardArchivedAt">,
) => ({
  memberPublicId,
  role,
  permissions: permissionsOf(role, { scope: user.token.scope, isArchived: boardArchivedAt !== null }),
});
