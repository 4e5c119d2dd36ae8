// Roles and their permissions: the table of contract section 4, as data.

/** Every permission, by the roles beside `admin` that have it. An admin has all. */
const HOLDERS = {
  "workspace:view": ["member", "guest"],
  "workspace:edit": [],
  "workspace:delete": [],
  "board:view": ["member", "guest"],
  "board:create": ["member"],
  "board:edit": ["member"],
  "board:delete": [],
  "list:view": ["member", "guest"],
  "list:create": ["member"],
  "list:edit": ["member"],
  "list:delete": ["member"],
  "card:view": ["member", "guest"],
  "card:create": ["member"],
  "card:edit": ["member"],
  "card:delete": ["member"],
  "comment:view": ["member", "guest"],
  "comment:create": ["member", "guest"],
  "comment:edit": [],
  "comment:delete": [],
  "member:view": ["member", "guest"],
  "member:invite": [],
  "member:edit": [],
  "member:remove": [],
  "meeting:view": ["member"],
  "meeting:edit": ["member"],
  "tag:edit": ["member"],
  "webhook:manage": [],
} as const satisfies Record<string, readonly Role[]>;

export type Role = "admin" | "member" | "guest";
export type Permission = keyof typeof HOLDERS;

const isPermission = (name: string): name is Permission => Object.hasOwn(HOLDERS, name);
const ALL = Object.keys(HOLDERS).filter(isPermission).sort();

type Scope = "read" | "write";

const isHeldBy = (permission: Permission, role: Role) =>
  role === "admin" || HOLDERS[permission].some((holder) => holder === role);
/** A token for reading has these alone. */
const isForReading = (permission: Permission) => permission.endsWith(":view");
/** On an archived board nobody has these. `board:edit` remains: it restores the board, and tags it. */
const isForOpenBoards = (permission: Permission) =>
  /^(?:list|card|comment):/.test(permission) && !isForReading(permission);

const byState = (role: Role, scope: Scope) => {
  const open = ALL.filter(
    (permission) => isHeldBy(permission, role) && (scope === "write" || isForReading(permission)),
  );
  return { open, archived: open.filter((permission) => !isForOpenBoards(permission)) };
};
const byScope = (role: Role) => ({ read: byState(role, "read"), write: byState(role, "write") });
const BY_ROLE = { admin: byScope("admin"), member: byScope("member"), guest: byScope("guest") };

/** The conditions that leave a caller fewer permissions than its role has. */
interface Restrictions {
  /** The scope of the token; `write` by default. */
  scope?: Scope;
  /** Whether the permissions are those on an archived board. */
  isArchived?: boolean;
}

/** The permissions of a role, sorted. The same list for the same role and restrictions. */
export const permissionsOf = (
  role: Role,
  { scope = "write", isArchived = false }: Restrictions = {},
): readonly Permission[] => BY_ROLE[role][scope][isArchived ? "archived" : "open"];

/** Whether a role has a permission; a guest's apply only on boards it is a member of. */
export const may = (role: Role, permission: Permission): boolean => permissionsOf(role).includes(permission);

/** Every permission, sorted. */
export const PERMISSIONS: readonly Permission[] = ALL;
