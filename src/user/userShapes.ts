// The shapes of accounts.

import { z } from "zod";
import type { AccountHolder, VerifiedCaller } from "../api/context.js";
import { Name, Text, Timestamp } from "../api/shapes.js";
import { normalAddress } from "../emailAddress.js";

const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;
/** Addresses before they have their normal form, as a pattern for the document, which not every program reads with `\p`. */
const EMAIL_PATTERN =
  "^(?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]|[^\\u0000-\\u007F\\uD800-\\uDFFF])+@(?:[A-Za-z0-9.-]|[^\\u0000-\\u007F\\uD800-\\uDFFF])+$";
const HTTPS_URL = /^https:\/\/[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!-~]*)?$/;

/** An e-mail address, trimmed and in its normal form from here on. */
export const Email = z
  .string()
  .trim()
  .overwrite(normalAddress)
  .max(254)
  .refine((address) => EMAIL.test(address), "Must be an e-mail address")
  .meta({ pattern: EMAIL_PATTERN });
export const PersonName = Name(255);
/** A new password, exactly as sent. */
export const NewPassword = Text(10, 200);
/** A password to compare. */
export const Password = Text(1, 200);
/** A picture's address; never fetched. */
export const Image = z
  .string()
  .max(2048)
  .regex(HTTPS_URL, "Must be an https URL")
  .nullable()
  .meta({ description: "The https URL of a picture, which the service never fetches; null for none." });

/** An account as its owner sees it: the answer of `GET /users/me`. */
export const User = z
  .object({
    publicId: z.string(),
    name: z.string(),
    email: z.string().nullable().meta({ description: "Null for an accountless guest." }),
    emailVerifiedAt: Timestamp.nullable().meta({
      description: "When the address was last confirmed to be the person's; null if it was not.",
    }),
    pendingEmail: z.string().nullable().meta({
      description: "The new address that waits to be confirmed, or null.",
    }),
    timeZone: z.string().meta({ description: "An IANA time zone, for reminders and digests." }),
    image: z.string().nullable().meta({ description: "The https URL of a picture, or null." }),
    isGuest: z.boolean().meta({ description: "Whether this is an accountless guest, made by an invite link." }),
    createdAt: Timestamp,
  })
  .meta({ id: "User", description: "An account as its owner sees it." });

/** An account with what only its own pages show. */
export const OwnUser = z
  .object({
    ...User.shape,
    isAdmin: z.boolean().meta({ description: "Whether the person runs this instance." }),
    hasPassword: z.boolean().meta({ description: "Whether a password signs in to the account." }),
    hasTwoFactor: z.boolean().meta({ description: "Whether two-factor authentication is on." }),
  })
  .meta({ id: "OwnUser", description: "An account with its ways to sign in, as its owner sees it." });

/** The input of every operation that begins a session: by token or by cookie. */
export const SessionForm = z.enum(["token", "cookie"]).default("token").meta({
  description:
    "`cookie` is for pages of this service: the token comes as a cookie that scripts cannot read, and not in the response. FORBIDDEN for a page of another origin.",
});

export const userOf = (person: AccountHolder) => {
  const { publicId, name, email, emailVerifiedAt, pendingEmail, timeZone, image, isGuest, createdAt } = person;
  return { publicId, name, email, emailVerifiedAt, pendingEmail, timeZone, image, isGuest, createdAt };
};

export const ownUserOf = (person: VerifiedCaller) => ({
  ...userOf(person),
  isAdmin: person.isAdmin,
  hasPassword: person.hasPassword,
  hasTwoFactor: person.hasTwoFactor,
});
