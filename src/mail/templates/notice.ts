// The notice to the owner of an account about a change to how it is signed in to.

import { z } from "zod";
import { type Block, say } from "../letters.js";
import { template } from "./template.js";

const CHANGES = {
  passwordReset: {
    subject: "Your password was changed",
    text: "The password of your account was set by a reset link. All sessions were ended.",
  },
  passwordChanged: {
    subject: "Your password was changed",
    text: "The password of your account was changed in one of its sessions. All other sessions were ended.",
  },
  personalTokenMade: {
    subject: "A personal token was created",
    text: "A new personal token now acts for your account. Your list of tokens shows its name and what it may do.",
  },
  resetLinkMade: {
    subject: "A link to reset your password was made",
    text: "An operator of the service made a link that sets a new password for your account.",
  },
  twoFactorEnabled: {
    subject: "Two-factor authentication was switched on",
    text: "Signing in to your account now also asks for a code. All other sessions were ended.",
  },
  twoFactorDisabled: {
    subject: "Two-factor authentication was switched off",
    text: "Signing in to your account no longer asks for a code.",
  },
  twoFactorRemoved: {
    subject: "Your second factor was removed",
    text: "An operator of the service removed the second factor of your account. Signing in no longer asks for a code.",
  },
  identityLinked: {
    subject: "A way to sign in was added",
    text: "Signing in at a provider now also opens your account. Your list of identities shows which one.",
  },
  emailRestored: {
    subject: "Your address was restored",
    text: "This is the address of your account again. All sessions were ended. Reset your password now if somebody else may know it.",
  },
} as const;

/** The subject of a notice. */
export type NoticeKind = keyof typeof CHANGES;

const isNotice = (value: unknown): value is NoticeKind => typeof value === "string" && Object.hasOwn(CHANGES, value);

/** The things that still give access to an account after its address was restored: none of them was ended. */
const Remaining = z.object({
  tokens: z.array(z.string()),
  providers: z.array(z.string()),
  hasSecondFactor: z.boolean(),
});
export type Remaining = z.output<typeof Remaining>;

/** Lists what remains, so that the owner can find what somebody else added. */
function listOf({ tokens, providers, hasSecondFactor }: Remaining): Block[] {
  const items = [
    ...tokens.map((name) => say`Personal token: ${name}`),
    ...providers.map((name) => say`Sign-in with ${name}`),
    ...(hasSecondFactor ? ["Two-factor authentication"] : []),
  ].map((text) => ({ text, url: null }));
  if (items.length === 0)
    return [{ paragraph: "The account has no personal token, no identity and no second factor." }];
  return [{ paragraph: "These remain on the account. Remove those that are not yours:" }, { items }];
}

const Notice = z.object({ about: z.custom<NoticeKind>(isNotice), remaining: Remaining.optional() });

export const notice = template(Notice, ({ about, remaining }) => ({
  subject: CHANGES[about].subject,
  blocks: [
    { paragraph: CHANGES[about].text },
    ...(remaining === undefined ? [] : listOf(remaining)),
    { paragraph: "If you did not expect this, reset your password, end your sessions, and tell the operator." },
  ],
  reason: "You get this mail because it concerns the safety of your account.",
}));
