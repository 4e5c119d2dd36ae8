// The end of an account by an operator's command (capabilities section 4), as its owner closes it.

import { and, eq } from "drizzle-orm";
import type { Config } from "../config.js";
import type { Database } from "../db/client.js";
import { account } from "../db/schema/index.js";
import { changeAllAsSystem } from "../user/accountChanges.js";
import { logAct, personTarget } from "../user/auditLog.js";
import { endAccountAsAsked, workspacesOfEnding } from "../user/closing.js";
import { noPersonAt } from "./administeredAccounts.js";

/** Deletes an account by address. @throws BAD_REQUEST if unknown, the last instance admin, or as `endAccountAsAsked` does. */
export async function deletePerson(db: Database, config: Config, email: string): Promise<void> {
  const fields = { accountId: account.id, publicId: account.publicId, name: account.name };
  const [row] = await db.select(fields).from(account).where(eq(account.email, email));
  if (row === undefined) throw noPersonAt();
  const { accountId } = row;
  await changeAllAsSystem(
    db,
    (tx) => workspacesOfEnding(tx, accountId),
    async (tx, unitOf) => {
      const isStill = and(eq(account.id, accountId), eq(account.email, email));
      const [person] = await tx.select(fields).from(account).where(isStill).for("update");
      if (person === undefined) throw noPersonAt();
      await endAccountAsAsked(tx, unitOf, accountId);
      await logAct(tx, null, { type: "account.deleted", actorId: null, target: personTarget(person) });
    },
    { config, origin: "operator" },
  );
}
