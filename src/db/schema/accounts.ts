// People. An account outlives its deletion as a tombstone, because comments and events name it.

import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, instant, ownId, publicId, ref } from "./columns.js";

export const account = pgTable(
  "account",
  {
    id: ownId(),
    publicId: publicId(),
    name: text("name").notNull(),
    /** Lower case; null for an accountless guest and for a deleted account. */
    email: text("email"),
    /** The time when a link of ours, or a trusted provider, last proved that the address is the person's. */
    emailVerifiedAt: instant("email_verified_at"),
    /** The address that a change of address waits for, lower case. */
    pendingEmail: text("pending_email"),
    passwordHash: text("password_hash"),
    image: text("image"),
    isGuest: boolean("is_guest").notNull().default(false),
    /** Whether the person runs this instance (capabilities section 4). */
    isAdmin: boolean("is_admin").notNull().default(false),
    /** An IANA time zone. */
    timeZone: text("time_zone").notNull().default("UTC"),
    /** The time of the last sign-in. */
    lastSignInAt: instant("last_sign_in_at"),
    /** Since when an instance admin keeps the person out; null: the account is open. */
    disabledAt: instant("disabled_at"),
    createdAt: createdAt(),
    deletedAt: instant("deleted_at"),
  },
  (t) => [
    uniqueIndex("account_public_id").on(t.publicId),
    uniqueIndex("account_email").on(t.email),
    index("account_admin").on(t.id).where(sql`${t.isAdmin}`),
    index("account_guest").on(t.id).where(sql`${t.isGuest} and ${t.deletedAt} is null`),
  ],
);

/**
 * Wrong passwords and codes of the last minutes: of sign-ins per address, from any caller (contract section 2, Accounts), and inside of
 * sessions per account (capabilities section 0, Access).
 */
export const signInFailure = pgTable(
  "sign_in_failure",
  {
    id: ownId(),
    email: text("email"),
    /** Without a foreign key, whose lock would be waited for. */
    accountId: ref("account_id"),
    failedAt: instant("failed_at").notNull().defaultNow(),
  },
  (t) => [
    index("sign_in_failure_email").on(t.email),
    index("sign_in_failure_account").on(t.accountId),
    index("sign_in_failure_failed_at").on(t.failedAt),
  ],
);

/** Links that act for an account once (capabilities section 1): mailed or handed out by an operator, and deleted on use. */
export const accountLink = pgTable(
  "account_link",
  {
    id: ownId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: ["passwordReset", "emailVerification", "emailChange", "emailRestore"] }).notNull(),
    /** Hex SHA-256 of the link's token; the token itself is never stored here. */
    tokenHash: text("token_hash").notNull(),
    /** The address that the link confirms or restores, or that a reset was mailed to; null for a reset that an operator hands out. */
    email: text("email"),
    /** Wrong codes of a second factor that came with the link. */
    failures: integer("failures").notNull().default(0),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("account_link_token").on(t.tokenHash),
    index("account_link_account").on(t.accountId, t.kind),
    index("account_link_expires").on(t.expiresAt),
  ],
);
