// The audit log of accounts and access (capabilities section 4). A change writes its entries together with itself. Entries contain
// no secret and no text of a card.

import { and, eq } from "drizzle-orm";
import type { Acting } from "../api/acting.js";
import type { Client } from "../api/context.js";
import type { Queries } from "../db/client.js";
import { type AuditTarget, account, auditEntry, member, workspace } from "../db/schema/index.js";

/** The types of acts in the audit log. */
export const AUDIT_TYPES = [
  "account.signedIn",
  "account.signedOut",
  "account.signInFailed",
  "account.signedUp",
  "account.passwordChanged",
  "account.passwordReset",
  "account.passwordResetRequested",
  "account.emailVerified",
  "account.emailChangeRequested",
  "account.emailChanged",
  "account.emailRestored",
  "account.exported",
  "account.deleted",
  "account.created",
  "account.disabled",
  "account.enabled",
  "account.resetLinkMade",
  "session.revoked",
  "token.created",
  "token.deleted",
  "twoFactor.enabled",
  "twoFactor.disabled",
  "twoFactor.recoveryCodesMade",
  "identity.linked",
  "identity.unlinked",
  "admin.granted",
  "admin.revoked",
  "workspace.created",
  "member.invited",
  "member.joined",
  "member.removed",
  "member.roleChanged",
  "invite.created",
  "invite.revoked",
  "board.exported",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "backup.made",
  "backup.restored",
  "database.moved",
] as const;
export type AuditType = (typeof AUDIT_TYPES)[number];

/** The data of one act. */
interface AuditedAct {
  type: AuditType;
  /** The account that did it; null for a command, or if it is unknown. */
  actorId: number | null;
  target?: AuditTarget;
}

/** A person as the target of an act. */
export const personTarget = ({ publicId, name }: { publicId: string; name: string }): AuditTarget => ({
  kind: "account",
  publicId,
  name,
});

/** An address that need not have an account as the target of an act. */
export const addressTarget = (email: string): AuditTarget => ({ kind: "address", name: email });

/** The row of the audit log for an act; `client`: where the call came from, null for a command. */
export const auditRow = (
  client: Pick<Client, "address"> | null,
  { type, actorId, target }: AuditedAct,
): typeof auditEntry.$inferInsert => ({ type, actorId, target: target ?? null, address: client?.address ?? null });

/** Writes an act to the audit log, with the change that it belongs to. */
export async function logAct(db: Queries, client: Pick<Client, "address"> | null, act: AuditedAct): Promise<void> {
  await db.insert(auditEntry).values(auditRow(client, act));
}

/** Writes what a person did to their own account. */
export const logOwnAct = (
  db: Queries,
  client: Client,
  person: { accountId: number; publicId: string; name: string },
  type: AuditType,
): Promise<void> => logAct(db, client, { type, actorId: person.accountId, target: personTarget(person) });

/** Writes an act in the workspace that is being changed; without a target it is about the workspace itself. */
export async function logActIn(
  tx: Pick<Acting, "db" | "workspaceId" | "add" | "by">,
  type: AuditType,
  target?: AuditTarget,
): Promise<void> {
  const [place] = await tx.db
    .select({ publicId: workspace.publicId, name: workspace.name })
    .from(workspace)
    .where(eq(workspace.id, tx.workspaceId));
  const { accountId: actorId, client } = tx.by;
  const about = target ?? { kind: "workspace", ...place };
  const within = target !== undefined && place !== undefined ? { workspacePublicId: place.publicId } : {};
  tx.add(auditEntry, auditRow(client, { type, actorId, target: { ...about, ...within } }));
}

/** Writes what becomes of a member: its account is the target, or the address that was invited. Call it while the row is there. */
export async function logMemberAct(
  tx: Pick<Acting, "db" | "workspaceId" | "add" | "by">,
  type: AuditType,
  memberId: number,
): Promise<void> {
  const [row] = await tx.db
    .select({ publicId: account.publicId, name: account.name, address: member.invitedEmail })
    .from(member)
    .leftJoin(account, eq(account.id, member.accountId))
    .where(and(eq(member.workspaceId, tx.workspaceId), eq(member.id, memberId)));
  const { publicId = null, name = null, address = null } = row ?? {};
  const target = publicId !== null && name !== null ? personTarget({ publicId, name }) : addressTarget(address ?? "");
  await logActIn(tx, type, target);
}
