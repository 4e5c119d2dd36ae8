// The role of a member as somebody else gives it: an admin of the workspace, or an operator.

import type { Role } from "../access/permissions.js";
import type { Acting } from "../api/acting.js";
import { dropUnseenAssignments } from "../card/model/lostAssignments.js";
import { member } from "../db/schema/index.js";
import { boardsOfMember, sharedEvent } from "../events/boards.js";
import { notify } from "../events/newNotifications.js";
import { logMemberAct } from "../user/auditLog.js";
import { forgive } from "../user/joining.js";
import type { Leaver } from "../user/leaving.js";

/** A member, active or pending, of the workspace that is being changed. */
export interface MemberWithRole extends Leaver {
  role: Role;
}

/** Notifies a member of what somebody else did to its membership. */
export function notifyMember(
  tx: Acting,
  { accountId }: MemberWithRole,
  type: "workspace.role.changed" | "workspace.member.removed",
): void {
  if (accountId !== null) notify(tx, { actorId: tx.by.accountId, cardId: null }, [{ type, accountId }]);
}

/** Changes the role of a member, and removes the member from cards that it can no longer see. */
export async function changeRole(tx: Acting, target: MemberWithRole, role: Role): Promise<void> {
  const { memberId, memberPublicId, accountId } = target;
  const boards = await boardsOfMember(tx, memberId);
  await dropUnseenAssignments(tx, target, role);
  if (accountId !== null) forgive(tx, accountId, role);
  tx.set(member, { id: memberId }, { role });
  tx.log(sharedEvent("member.role.changed", { memberPublicId, from: target.role, to: role }, boards));
  await logMemberAct(tx, "member.roleChanged", memberId);
  notifyMember(tx, target, "workspace.role.changed");
}
