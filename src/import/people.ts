// Whom a file means: the people of the workspace by what a file calls them (contract section 2, "4.2 columns" and Files in).

import { and, eq, sql } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess, WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Signed } from "../api/context.js";
import { nameKey } from "../db/nameKey.js";
import { boardMember } from "../db/schema/index.js";
import { seesEmails } from "../workspace/people.js";

/** An active member. */
export interface Somebody {
  memberId: number;
  role: Role;
}

interface PersonRow extends Somebody {
  name: string;
  email: string | null;
  showEmailsToMembers: boolean;
}

/** The active members of a workspace as the importer may find them, without regard to case. */
export interface Directory {
  /** Whether the importer may not see addresses: then its own is the only one that is found. */
  hidesEmails: boolean;
  byEmail(email: string): Somebody | null;
  /** Null where it is nobody's name, or more than one person's. */
  byName(name: string): Somebody | null;
}

/** Reads who is active in a workspace. */
export async function directoryOf(ctx: Signed, importer: WorkspaceAccess): Promise<Directory> {
  const people = await ctx.db.rows<PersonRow>(sql`
    select m.id as "memberId", m.role, a.name, a.email, w.show_emails_to_members as "showEmailsToMembers"
    from workspace w join member m on m.workspace_id = w.id join account a on a.id = m.account_id
    where w.id = ${importer.workspaceId}::bigint`);
  const showEmailsToMembers = people[0]?.showEmailsToMembers ?? false;
  const hidesEmails = !seesEmails({ role: importer.role, showEmailsToMembers });
  const byEmail = new Map<string, PersonRow>();
  /** Null where two have the name. */
  const byName = new Map<string, PersonRow | null>();
  for (const person of people) {
    const key = nameKey(person.name);
    byName.set(key, byName.has(key) ? null : person);
    const isShown = !hidesEmails || person.memberId === importer.memberId;
    if (isShown && person.email !== null) byEmail.set(nameKey(person.email), person);
  }
  return {
    hidesEmails,
    byEmail: (email) => byEmail.get(nameKey(email)) ?? null,
    byName: (name) => byName.get(nameKey(name)) ?? null,
  };
}

/** Tells the member's key by an address or else a name; null where it is nobody or more than one. */
export type FindMember = (person: string) => number | null;

/** Finds those of a directory who see a board. */
const findIn =
  ({ byEmail, byName }: Directory, sees: (person: Somebody) => boolean): FindMember =>
  (person) => {
    const found = byEmail(person) ?? byName(person);
    return found === null || !sees(found) ? null : found.memberId;
  };

/** Finds active members who can be assigned on a new board of visibility `workspace`, which a guest does not see. */
export const membersOf = async (ctx: Signed, workspace: WorkspaceAccess): Promise<FindMember> =>
  findIn(await directoryOf(ctx, workspace), ({ role }) => role !== "guest");

/** Finds active members who can be assigned on a board that is there. */
export async function assigneesOf(ctx: Signed, workspace: WorkspaceAccess, board: BoardAccess): Promise<FindMember> {
  const members = await ctx.db
    .select({ id: boardMember.memberId })
    .from(boardMember)
    .where(and(eq(boardMember.workspaceId, board.workspaceId), eq(boardMember.boardId, board.boardId)));
  const onBoard = new Set(members.map(({ id }) => id));
  const directory = await directoryOf(ctx, workspace);
  return findIn(directory, ({ role, memberId }) => seesBoard(role, board.visibility, onBoard.has(memberId)));
}
