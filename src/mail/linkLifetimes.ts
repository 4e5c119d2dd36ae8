// The lifetimes of the links that people receive. Mails, responses and descriptions state the same times.

const HOUR_MS = 3_600_000;

/** The lifetime of a link: in milliseconds, and as sentences state it. */
interface LinkLifetime {
  ms: number;
  text: string;
}

const minutes = (count: number): LinkLifetime => ({ ms: count * 60_000, text: `${count} minutes` });
const hours = (count: number): LinkLifetime => ({ ms: count * HOUR_MS, text: `${count} hours` });
const days = (count: number): LinkLifetime => ({ ms: count * 24 * HOUR_MS, text: `${count} days` });

export const LINK_LIFETIMES = {
  invitation: days(7),
  passwordReset: minutes(60),
  /** For an account that an operator created: this link is passed on by hand. */
  firstPassword: days(7),
  emailVerification: hours(24),
  emailChange: hours(24),
  emailRestore: days(7),
} as const satisfies Record<string, LinkLifetime>;
