// Accounts that operators make for other people (capabilities section 4). They have no password until the person sets one by a link.

import type { Config } from "../config.js";
import type { Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { account } from "../db/schema/index.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { linkTo } from "../mail/links.js";
import { makeLink, storeAt } from "../user/accountLinks.js";
import { logAct, personTarget } from "../user/auditLog.js";
import { passwordsMustBeOn } from "../user/reauthentication.js";
import { adminUserOf, mustStillOperate, type Operator } from "./administeredAccounts.js";
import type { CreatedUser } from "./adminShapes.js";

/** Makes an account with an unverified address, and the link for its password. @throws BAD_REQUEST on `email`; FORBIDDEN. */
export async function createPerson(
  tx: Transaction,
  config: Config,
  operator: Operator,
  fields: { name: string; email: string },
): Promise<CreatedUser> {
  passwordsMustBeOn(config);
  await mustStillOperate(tx, operator);
  const { accountId: actorId, client } = operator;
  const publicId = newPublicId();
  const [made] = await storeAt(tx, fields.email, () =>
    tx
      .insert(account)
      .values({ ...fields, publicId })
      .returning({ id: account.id }),
  );
  if (made === undefined) throw new Error("The insert of an account returned no row");
  const lifetimeMs = LINK_LIFETIMES.firstPassword.ms;
  const token = await makeLink(tx, { accountId: made.id, kind: "passwordReset", lifetimeMs });
  const target = personTarget({ publicId, name: fields.name });
  await logAct(tx, client, { type: "account.created", actorId, target });
  return { user: await adminUserOf(tx, made.id), setPasswordUrl: linkTo(config, "reset", token) };
}
