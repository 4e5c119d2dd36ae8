// Matches the people of a file with members of the workspace (contract section 2, "4.2 columns" and Files in).

import { and, eq } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess, WorkspaceAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import { seesEmails } from "../access/shownPeople.js";
import type { Signed } from "../api/context.js";
import { nameKey } from "../db/nameKey.js";
import { account, boardMember, member, workspace as workspaceTable } from "../db/schema/index.js";
import { normalAddress } from "../emailAddress.js";

/** An active member. */
export interface Somebody {
  memberId: number;
  role: Role;
}

/** The active members of a workspace as the importer may match them, regardless of case. */
export interface Directory {
  /** Whether the importer may not see addresses; then only its own address matches. */
  hidesEmails: boolean;
  byEmail(email: string): Somebody | null;
  /** Null if nobody or more than one person has the name. */
  byName(name: string): Somebody | null;
}

/** Reads the active members of a workspace. */
export async function directoryOf(ctx: Signed, importer: WorkspaceAccess): Promise<Directory> {
  const { id: memberId, role } = member;
  const { showEmailsToMembers: shows } = workspaceTable;
  const people = await ctx.db
    .select({ memberId, role, name: account.name, email: account.email, shows })
    .from(workspaceTable)
    .innerJoin(member, eq(member.workspaceId, workspaceTable.id))
    .innerJoin(account, eq(account.id, member.accountId))
    .where(eq(workspaceTable.id, importer.workspaceId));
  const showEmailsToMembers = people[0]?.shows ?? false;
  const hidesEmails = !seesEmails({ role: importer.role, showEmailsToMembers });
  const byEmail = new Map<string, Somebody>();
  /** Null if two members have the name. */
  const byName = new Map<string, Somebody | null>();
  for (const person of people) {
    const key = nameKey(person.name);
    byName.set(key, byName.has(key) ? null : person);
    const isShown = !hidesEmails || person.memberId === importer.memberId;
    if (isShown && person.email !== null) byEmail.set(person.email, person);
  }
  return {
    hidesEmails,
    byEmail: (email) => byEmail.get(normalAddress(email.trim())) ?? null,
    byName: (name) => byName.get(nameKey(name)) ?? null,
  };
}

/** The member's key by address or else by name; null if nobody or more than one matches. */
export type FindMember = (person: string) => number | null;

/** The members of a directory who see a board. */
const findIn =
  ({ byEmail, byName }: Directory, sees: (person: Somebody) => boolean): FindMember =>
  (person) => {
    const match = byEmail(person) ?? byName(person);
    return match === null || !sees(match) ? null : match.memberId;
  };

/** The active members who can be assigned on a new board with visibility `workspace`, which guests do not see. */
export const membersOf = async (ctx: Signed, workspace: WorkspaceAccess): Promise<FindMember> =>
  findIn(await directoryOf(ctx, workspace), ({ role }) => role !== "guest");

/** The active members who can be assigned on an existing board. */
export async function assigneesOf(ctx: Signed, workspace: WorkspaceAccess, board: BoardAccess): Promise<FindMember> {
  const members = await ctx.db
    .select({ id: boardMember.memberId })
    .from(boardMember)
    .where(and(eq(boardMember.workspaceId, board.workspaceId), eq(boardMember.boardId, board.boardId)));
  const onBoard = new Set(members.map(({ id }) => id));
  const directory = await directoryOf(ctx, workspace);
  return findIn(directory, ({ role, memberId }) => seesBoard(role, board.visibility, onBoard.has(memberId)));
}
