// What a change tells people, written with it (contract section 2, Notifications). Nobody is told of what it did itself. What an
// account is told is numbered after the commit (`notification/numbering.ts`): no change of a workspace waits for an account.

import { notification } from "../db/schema/index.js";
import type { UnitOfWork } from "../db/unitOfWork.js";

/** One person to be told of one thing. */
export interface Notice {
  type: (typeof notification.$inferSelect)["type"];
  /** The account that is told. */
  accountId: number;
}

/** Who did it, and to which card; null where it is not about a card. */
interface Occasion {
  actorId: number;
  cardId: number | null;
}

/** Tells people of a change of the workspace; an account is told one thing at most. */
export function notify(
  tx: Pick<UnitOfWork, "add" | "newRowId" | "newPublicId" | "touched">,
  { actorId, cardId }: Occasion,
  notices: readonly Notice[],
): void {
  for (const { type, accountId } of notices) {
    if (accountId === actorId) continue;
    tx.add(notification, { id: tx.newRowId(), publicId: tx.newPublicId(), accountId, type, actorId, cardId });
    tx.touched.accounts.add(accountId);
  }
}
