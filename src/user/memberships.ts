// The workspaces of an account, and what each of them logs when the person changes.

import { and, count, eq, isNotNull, sql } from "drizzle-orm";
import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/acting.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries } from "../db/client.js";
import { member } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";

/** An account's place in a workspace. */
export interface Membership {
  workspaceId: number;
  memberId: number;
  memberPublicId: string;
  role: Role;
}

/** The memberships of an account, by workspace. */
export const membershipsOf = (db: Queries, accountId: number): Promise<Membership[]> =>
  db
    .select({
      workspaceId: member.workspaceId,
      memberId: member.id,
      memberPublicId: member.publicId,
      role: member.role,
    })
    .from(member)
    .where(acrossWorkspaces("workspaces of an account", eq(member.accountId, accountId)))
    .orderBy(member.workspaceId);

/** The keys of the workspaces of an account. */
export const workspaceKeysOf = async (db: Queries, accountId: number): Promise<number[]> =>
  (await membershipsOf(db, accountId)).map(({ workspaceId }) => workspaceId);

/** The number of active members of a workspace, and the number of admins among them. */
export async function memberCountsOf(db: Queries, workspaceId: number): Promise<{ members: number; admins: number }> {
  const [counts] = await db
    .select({ members: count(), admins: sql<number>`count(*) filter (where ${member.role} = 'admin')` })
    .from(member)
    .where(and(eq(member.workspaceId, workspaceId), isNotNull(member.accountId)));
  return counts ?? { members: 0, admins: 0 };
}

/** The changes of a person's address, which no event contains. */
export const ADDRESS_CHANGED = {};

/** Logs in each workspace of an account that its name, image or address changed. */
export async function logPerson(
  db: Queries,
  accountId: number,
  unitOf: (workspaceId: number) => Acting,
  changes: object,
): Promise<void> {
  for (const { workspaceId, memberId, memberPublicId } of await membershipsOf(db, accountId)) {
    const unit = unitOf(workspaceId);
    unit.log(sharedEvent("member.updated", { memberPublicId, changes }, await boardsOfMember(unit, memberId)));
  }
}
