// The notice to the owner of an account about a change to how it is signed in to.

import { z } from "zod";
import { template } from "./template.js";

const CHANGES = {
  passwordReset: {
    subject: "Your password was changed",
    text: "The password of your account was set by a reset link. All sessions were ended.",
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

/** What a notice is about. */
export type NoticeKind = keyof typeof CHANGES;

const isNotice = (value: unknown): value is NoticeKind => typeof value === "string" && Object.hasOwn(CHANGES, value);

export const notice = template(z.object({ about: z.custom<NoticeKind>(isNotice) }), ({ about }) => ({
  subject: CHANGES[about].subject,
  blocks: [
    { paragraph: CHANGES[about].text },
    { paragraph: "If you did not expect this, reset your password, end your sessions, and tell the operator." },
  ],
  reason: "You get this mail because it concerns the safety of your account.",
}));
