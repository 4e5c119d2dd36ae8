// People. An account outlives its deletion as a tombstone, because comments and events name it.

import { sql } from "drizzle-orm";
import { boolean, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, instant, ownId, publicId } from "./columns.js";

export const account = pgTable(
  "account",
  {
    id: ownId(),
    publicId: publicId(),
    name: text("name").notNull(),
    /** Lower case; null for an accountless guest and for a deleted account. */
    email: text("email"),
    passwordHash: text("password_hash"),
    image: text("image"),
    isGuest: boolean("is_guest").notNull().default(false),
    createdAt: createdAt(),
    deletedAt: instant("deleted_at"),
  },
  (t) => [
    uniqueIndex("account_public_id").on(t.publicId),
    uniqueIndex("account_email").on(t.email),
    index("account_guest").on(t.id).where(sql`${t.isGuest} and ${t.deletedAt} is null`),
  ],
);

/** Failed sign-ins of the last minutes, counted per address whoever calls (contract section 2, Accounts). */
export const signInFailure = pgTable(
  "sign_in_failure",
  { id: ownId(), email: text("email").notNull(), failedAt: instant("failed_at").notNull().defaultNow() },
  (t) => [index("sign_in_failure_email").on(t.email), index("sign_in_failure_failed_at").on(t.failedAt)],
);
