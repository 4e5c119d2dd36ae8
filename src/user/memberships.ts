// The workspaces of an account, and what is told in each of them when the person changes.

import { and, count, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/change.js";
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

/**
 * The memberships of an account, by workspace. Which workspaces those are only their members tell, so that every shard is asked; it is
 * asked when an account is renamed or closed.
 */
export const membershipsOf = (db: Queries, accountId: number): Promise<Membership[]> =>
  db
    .select({
      workspaceId: member.workspaceId,
      memberId: member.id,
      memberPublicId: member.publicId,
      role: member.role,
    })
    .from(member)
    .where(eq(member.accountId, accountId))
    .orderBy(member.workspaceId);

/** The keys of the workspaces of an account. */
export const workspacesOf = async (db: Queries, accountId: number): Promise<number[]> =>
  (await membershipsOf(db, accountId)).map(({ workspaceId }) => workspaceId);

/** How many active members each of some workspaces has, and how many of them are admins; the workspaces may lie on several shards. */
export async function countsOf(
  db: Queries,
  workspaces: readonly { workspaceId: number }[],
): Promise<Map<number, { members: number; admins: number }>> {
  const counted = await db
    .select({
      workspaceId: member.workspaceId,
      members: count(),
      admins: sql<number>`count(*) filter (where ${member.role} = 'admin')`,
    })
    .from(member)
    .where(
      and(
        inArray(
          member.workspaceId,
          workspaces.map(({ workspaceId }) => workspaceId),
        ),
        isNotNull(member.accountId),
      ),
    )
    .groupBy(member.workspaceId);
  return new Map(counted.map(({ workspaceId, ...counts }) => [workspaceId, counts]));
}

/** Logs in each workspace of an account that its name or image changed. */
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
