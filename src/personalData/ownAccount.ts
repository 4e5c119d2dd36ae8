// The data of a person beside their work: the account, its workspaces, favourites and recent boards, and its entries of the audit log.

import { and, asc, count, eq, gt, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Signed, VerifiedCaller } from "../api/context.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Queries } from "../db/client.js";
import {
  account,
  accountLink,
  auditEntry,
  boardFavourite,
  boardOpened,
  member,
  recoveryCode,
  twoFactor,
} from "../db/schema/index.js";
import { readSettings } from "../user/notificationSettings.js";
import { identitiesOf } from "../user/oidc/identities.js";
import { sessionsOf } from "../user/sessions.js";
import { tokensOf } from "../user/tokens.js";
import { userOf } from "../user/userShapes.js";
import { seenBoard, workspacePublicIdOf } from "./ownBoards.js";
import { pagesFrom, type Source } from "./pages.js";

/** The account as its owner may know it: without hashes, secrets and tokens. */
export async function exportedAccount({ db, user }: Signed<Queries, VerifiedCaller>) {
  const { accountId } = user;
  const isOwn = eq(accountLink.accountId, accountId);
  const [own] = await db
    .select({ passwordHash: account.passwordHash, lastSignInAt: account.lastSignInAt, isAdmin: account.isAdmin })
    .from(account)
    .where(eq(account.id, accountId));
  const [factor] = await db
    .select({ since: twoFactor.confirmedAt })
    .from(twoFactor)
    .where(eq(twoFactor.accountId, accountId));
  const [codes] = await db.select({ left: count() }).from(recoveryCode).where(eq(recoveryCode.accountId, accountId));
  const { kind, email, createdAt, expiresAt } = accountLink;
  return {
    exportedAt: new Date().toISOString(),
    profile: { ...userOf(user), isAdmin: own?.isAdmin ?? false, lastSignInAt: own?.lastSignInAt ?? null },
    notificationSettings: await readSettings(db, accountId),
    signIn: {
      hasPassword: own !== undefined && own.passwordHash !== null,
      twoFactor: {
        isOn: (factor?.since ?? null) !== null,
        since: factor?.since ?? null,
        recoveryCodes: codes?.left ?? 0,
      },
      identities: await identitiesOf({ db, user }),
      links: await db
        .select({ kind, email, createdAt, expiresAt })
        .from(accountLink)
        .where(isOwn)
        .orderBy(accountLink.id),
    },
    sessions: await sessionsOf({ db, user }),
    tokens: await tokensOf({ db, user }),
  };
}

/** The person's place in a workspace. */
export interface OwnMembership {
  workspaceId: number;
  workspacePublicId: string;
  memberId: number;
  memberPublicId: string;
  role: string;
  createdAt: string;
}

/** The memberships of a person, in the order in which they were added to the workspaces. */
export const membershipPages = (source: Source) =>
  pagesFrom<OwnMembership>(source, (last, limit) =>
    source.db
      .select({
        workspaceId: member.workspaceId,
        workspacePublicId: workspacePublicIdOf(member.workspaceId),
        memberId: member.id,
        memberPublicId: member.publicId,
        role: member.role,
        createdAt: member.createdAt,
      })
      .from(member)
      .where(
        and(
          acrossWorkspaces("workspaces of an account", eq(member.accountId, source.accountId)),
          last === null
            ? undefined
            : sql`(${member.createdAt}, ${member.workspaceId}) > (${last.createdAt}::timestamptz, ${last.workspaceId}::bigint)`,
        ),
      )
      .orderBy(asc(member.createdAt), asc(member.workspaceId))
      .limit(limit),
  );

/** The workspaces of a person, with their place in each. */
export async function* workspacesOf(source: Source) {
  for await (const page of membershipPages(source))
    yield page.map(({ workspaceId: _, memberId: __, ...fields }) => fields);
}

/** The boards that a person marked as favourites and sees. */
export const favouritesOf = (source: Source) => markedBoardsOf(source, boardFavourite);

/** The boards that a person opened and sees. */
export const openedBoardsOf = (source: Source) =>
  markedBoardsOf(source, boardOpened, { openedAt: boardOpened.openedAt });

/** The boards that a person has a row of in a table and sees. */
async function* markedBoardsOf<Also extends Record<string, PgColumn>>(
  source: Source,
  table: typeof boardFavourite | typeof boardOpened,
  also?: Also,
) {
  const { workspaceId, boardId } = table;
  const boardPublicId = seenBoard(source, table);
  const fields = { workspacePublicId: workspacePublicIdOf(workspaceId), boardPublicId, ...also };
  const pages = pagesFrom<MarkedBoard>(source, (last, limit) =>
    source.db
      .select({ workspaceId, boardId, fields })
      .from(table)
      .where(
        and(
          acrossWorkspaces("what an account wrote", eq(table.accountId, source.accountId)),
          last === null ? undefined : sql`(${workspaceId}, ${boardId}) > (${last.workspaceId}, ${last.boardId})`,
        ),
      )
      .orderBy(asc(workspaceId), asc(boardId))
      .limit(limit),
  );
  for await (const page of pages) yield page.flatMap(({ fields }) => (fields.boardPublicId === null ? [] : fields));
}

interface MarkedBoard {
  workspaceId: number;
  boardId: number;
  fields: { workspacePublicId: string; boardPublicId: string | null };
}

/** The entries of a person's own acts in the audit log, without their targets. */
export async function* auditEntriesOf(source: Source) {
  const { id, type, address, createdAt } = auditEntry;
  const pages = pagesFrom<{ id: number; type: string; address: string | null; createdAt: string }>(
    source,
    (last, limit) =>
      source.db
        .select({ id, type, address, createdAt })
        .from(auditEntry)
        .where(and(eq(auditEntry.actorId, source.accountId), gt(id, last?.id ?? 0)))
        .orderBy(asc(id))
        .limit(limit),
  );
  for await (const page of pages) yield page.map(({ id: _, ...fields }) => fields);
}
