// The token by which a person stops mail, as the links of its mail carry it.

import { eq } from "drizzle-orm";
import { account } from "../../src/db/schema/index.js";
import { unsubscribeTokenOf } from "../../src/user/notificationSettings.js";
import type { Person, TestApp } from "./app.js";

export async function unsubscribeToken(
  { db }: Pick<TestApp, "db">,
  { publicId }: Pick<Person, "publicId">,
): Promise<string> {
  const [found] = await db.select({ accountId: account.id }).from(account).where(eq(account.publicId, publicId));
  if (found === undefined) throw new Error("no such account");
  return unsubscribeTokenOf(db, { accountId: found.accountId, publicId });
}
