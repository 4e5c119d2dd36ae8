// Whom a file means: the people of the workspace by what a file calls them (contract section 2, "4.2 columns").

import { sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Signed } from "../api/context.js";
import { nameKey } from "../db/nameKey.js";

interface PersonRow {
  memberId: number;
  role: Role;
  name: string;
  email: string | null;
}

/** Tells the member's key by an address or else a name, without regard to case; null where it is nobody or more than one. */
export type FindMember = (person: string) => number | null;

/** Finds active members who can be assigned on a new board of visibility `workspace`, which a guest does not see. */
export async function membersOf(ctx: Signed, { workspaceId }: WorkspaceAccess): Promise<FindMember> {
  const people = await ctx.db.rows<PersonRow>(sql`
    select m.id as "memberId", m.role, a.name, a.email from member m join account a on a.id = m.account_id
    where m.workspace_id = ${workspaceId}::bigint`);
  const byEmail = new Map<string, PersonRow>();
  /** Null where two have the name. */
  const byName = new Map<string, PersonRow | null>();
  for (const person of people) {
    const key = nameKey(person.name);
    byName.set(key, byName.has(key) ? null : person);
    if (person.email !== null) byEmail.set(nameKey(person.email), person);
  }

  return (name) => {
    const key = nameKey(name);
    const found = byEmail.get(key) ?? byName.get(key) ?? null;
    return found === null || found.role === "guest" ? null : found.memberId;
  };
}
