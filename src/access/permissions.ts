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

const isHeldBy = (permission: Permission, role: Role) =>
  role === "admin" || HOLDERS[permission].some((holder) => holder === role);

const BY_ROLE: Record<Role, readonly Permission[]> = {
  admin: ALL,
  member: ALL.filter((permission) => isHeldBy(permission, "member")),
  guest: ALL.filter((permission) => isHeldBy(permission, "guest")),
};

/** The permissions of a role, sorted. */
export const permissionsOf = (role: Role): readonly Permission[] => BY_ROLE[role];

/** Whether a role has a permission; a guest's apply only on boards it is a member of. */
export const may = (role: Role, permission: Permission): boolean => BY_ROLE[role].includes(permission);
