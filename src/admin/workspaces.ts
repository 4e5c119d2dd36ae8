// The workspaces of an instance as its operators see them, and the way back into one that has no admin left (capabilities section 4).

import { and, asc, count, eq, isNotNull, sql } from "drizzle-orm";
import { isOpen } from "../access/openAccounts.js";
import type { Acting } from "../api/acting.js";
import { badRequest } from "../api/errors.js";
import { changeAsSystem } from "../api/systemChange.js";
import type { Config } from "../config.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import { type Database, oneOf, type Queries } from "../db/client.js";
import { account, member, workspace } from "../db/schema/index.js";
import { notify } from "../events/newNotifications.js";
import { staysOpen } from "../user/closing.js";
import { addMember, forgive } from "../user/joining.js";
import { changeRole } from "../workspace/roles.js";

/** A workspace as an operator sees it. */
export interface AdminWorkspace {
  id: number;
  publicId: string;
  name: string;
  createdAt: string;
  /** The number of active members. */
  members: number;
  /** The number of its admins whose account is not disabled. */
  admins: number;
}

/** The active members of workspaces, and the admins with an open account among them, as numbers. */
async function memberCounts(db: Queries, workspaceIds: number[]) {
  const rows = await db
    .select({
      id: member.workspaceId,
      members: count(),
      admins: sql<number>`count(*) filter (where ${and(eq(member.role, "admin"), isOpen())})`,
    })
    .from(member)
    .innerJoin(account, eq(account.id, member.accountId))
    .where(acrossWorkspaces("list of workspaces", oneOf(member.workspaceId, workspaceIds)))
    .groupBy(member.workspaceId);
  return new Map(rows.map(({ id, members, admins }) => [id, { members, admins }]));
}

/** Workspaces in the order in which they were created, from the one behind `after`. */
export async function listWorkspaces(
  db: Queries,
  { after, limit }: { after: Pick<AdminWorkspace, "createdAt" | "id"> | null; limit: number },
): Promise<AdminWorkspace[]> {
  const { createdAt, id } = workspace;
  const isBehind =
    after === null ? undefined : sql`(${createdAt}, ${id}) > (${after.createdAt}::timestamptz, ${after.id}::bigint)`;
  const rows = await db
    .select({ id, publicId: workspace.publicId, name: workspace.name, createdAt })
    .from(workspace)
    .where(isBehind)
    .orderBy(asc(createdAt), asc(id))
    .limit(limit);
  const ids = rows.map((row) => row.id);
  const counts = await memberCounts(db, ids);
  return rows.map((row) => ({ ...row, members: 0, admins: 0, ...counts.get(row.id) }));
}

const noPerson = () => badRequest("No open account has this email address", "email");

/** The active members of the workspace that is being changed. */
const activeMembers = ({ db, workspaceId }: Acting) =>
  db
    .select({
      memberId: member.id,
      memberPublicId: member.publicId,
      accountId: sql<number>`${member.accountId}`,
      role: member.role,
    })
    .from(member)
    .where(and(eq(member.workspaceId, workspaceId), isNotNull(member.accountId)));

async function makeAdmin(tx: Acting, accountId: number): Promise<void> {
  const members = await activeMembers(tx);
  const present = members.find((one) => one.accountId === accountId);
  if (present?.role === "admin") throw badRequest("The account is an admin of this workspace already", "email");
  if (present !== undefined) return changeRole(tx, present, "admin");
  await addMember(tx, accountId, "admin");
  forgive(tx, accountId, "admin");
  const admins = members.filter(({ role }) => role === "admin");
  const added = admins.map((admin) => ({ type: "workspace.member.added", accountId: admin.accountId }) as const);
  notify(tx, { actorId: accountId, cardId: null }, added);
  notify(tx, { actorId: null, cardId: null }, [{ type: "workspace.role.changed", accountId }]);
}

/** Makes an account an admin of a workspace, and notifies. @throws BAD_REQUEST if one is unknown, or the account cannot be it. */
export async function grantWorkspaceAdmin(
  db: Database,
  config: Config,
  { workspacePublicId, email }: { workspacePublicId: string; email: string },
): Promise<void> {
  const [row] = await db.select({ id: workspace.id }).from(workspace).where(eq(workspace.publicId, workspacePublicId));
  if (row === undefined) throw badRequest("No workspace has this identifier", "workspacePublicId");
  const isPerson = and(eq(account.email, email), eq(account.isGuest, false));
  const [person] = await db.select({ accountId: account.id }).from(account).where(isPerson);
  if (person === undefined) throw noPerson();
  await changeAsSystem(
    db,
    row.id,
    async (tx) => {
      if (!(await staysOpen(tx.db, person))) throw noPerson();
      await makeAdmin(tx, person.accountId);
    },
    { config, origin: "operator" },
  );
}
