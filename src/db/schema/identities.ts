// Ways to sign in beside a password: identities at OpenID Connect providers, and second factors.

import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.js";
import { createdAt, instant, ownId, publicId, ref } from "./columns.js";
import { accessToken } from "./tokens.js";

/** Accounts at OpenID Connect providers that sign people in (capabilities section 2). */
export const identity = pgTable(
  "identity",
  {
    id: ownId(),
    publicId: publicId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** The provider's identifier in `OIDC_PROVIDERS`. */
    providerId: text("provider_id").notNull(),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** The address that the provider last stated, in lower case. */
    email: text("email"),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [
    uniqueIndex("identity_public_id").on(t.publicId),
    uniqueIndex("identity_subject").on(t.issuer, t.subject),
    index("identity_account").on(t.accountId),
  ],
);

/** Sign-ins with OpenID Connect that began and have not ended: a row is deleted when its sign-in ends. */
export const oidcFlow = pgTable(
  "oidc_flow",
  {
    id: ownId(),
    /** Hex SHA-256 of the flow token. */
    tokenHash: text("token_hash").notNull(),
    providerId: text("provider_id").notNull(),
    redirectUri: text("redirect_uri").notNull(),
    state: text("state").notNull(),
    nonce: text("nonce").notNull(),
    codeVerifier: text("code_verifier").notNull(),
    /** The session that a new identity is attached to; null for a sign-in. */
    linkTokenId: ref("link_token_id").references(() => accessToken.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("oidc_flow_token").on(t.tokenHash),
    index("oidc_flow_link_token").on(t.linkTokenId),
    index("oidc_flow_expires").on(t.expiresAt),
  ],
);

/** The second factor of an account (capabilities section 3). */
export const twoFactor = pgTable("two_factor", {
  accountId: ref("account_id")
    .primaryKey()
    .references(() => account.id, { onDelete: "cascade" }),
  /** Encrypted with a key of `SECRET_KEY`. */
  secret: text("secret").notNull(),
  /** The time step of the last code that was accepted: a code works once. */
  lastStep: ref("last_step").notNull().default(0),
  /** Null while it is being set up. */
  confirmedAt: instant("confirmed_at"),
  createdAt: createdAt(),
});

/** Codes that stand in for a lost second factor, each deleted when it is used. */
export const recoveryCode = pgTable(
  "recovery_code",
  {
    id: ownId(),
    accountId: ref("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** Hex SHA-256 of the code. */
    codeHash: text("code_hash").notNull(),
  },
  (t) => [uniqueIndex("recovery_code_hash").on(t.accountId, t.codeHash)],
);
