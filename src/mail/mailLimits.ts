// The limits of mails, so that nobody floods a mailbox (capabilities section 1). Mails are counted when they are queued, and again
// when they are sent: of several that are queued at once, none counts the others, and nobody waits for a lock.

import { and, eq, gt, inArray, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { hashOf } from "../api/digests.js";
import type { Queries } from "../db/client.js";
import { mail } from "../db/schema/index.js";
import type { ClaimedMail } from "./mailQueue.js";
import type { MailKind, NewMail } from "./newMail.js";

/** At most `most` mails of some kinds that have the same value in `per`, within `hours`. */
interface MailLimit {
  kinds: readonly MailKind[];
  per: "address" | "accountId" | "causedBy" | "aboutWorkspaceId";
  most: number;
  hours: number;
}

const DAY = { hours: 24 };

/** The limits by name, for descriptions. Resets have their own, so that invitations keep nobody from resetting a password. */
export const MAIL_LIMITS = {
  /** Mail that somebody else causes: invitations, and links to a new address. */
  causedToAddress: { kinds: ["invitation", "emailChange"], per: "address", most: 5, ...DAY },
  causedByAccount: { kinds: ["invitation", "emailChange"], per: "causedBy", most: 100, ...DAY },
  causedInWorkspace: { kinds: ["invitation", "emailChange"], per: "aboutWorkspaceId", most: 100, ...DAY },
  verificationsToAddress: { kinds: ["emailVerification"], per: "address", most: 5, ...DAY },
  confirmationsOfAccount: { kinds: ["emailVerification", "emailChange"], per: "accountId", most: 5, ...DAY },
  resetsToAddress: { kinds: ["passwordReset"], per: "address", most: 3, hours: 1 },
  noticesToAddress: { kinds: ["notice"], per: "address", most: 20, ...DAY },
} as const satisfies Record<string, MailLimit>;

/** The fields of a mail that limits count. */
type Counted = Pick<NewMail, "kind"> & { [Column in MailLimit["per"]]?: NewMail[Column] | null };

/** The digest of an address, to be counted once the account that had it is closed. */
export const digestOf = (address: string) => `sha256:${hashOf(address)}`;

const columnIs = (per: MailLimit["per"], value: string | number) =>
  typeof value === "string" ? inArray(mail[per], [value, digestOf(value)]) : eq(mail[per], value);

/** Seconds until a limit allows one more mail; null if it does now. */
async function waitUnder(
  db: Queries,
  { kinds, per, most, hours }: MailLimit,
  value: string | number,
  among?: SQL,
): Promise<number | null> {
  const age = sql`extract(epoch from clock_timestamp() - min(${mail.createdAt}))`;
  const [row] = await db
    .select({
      count: sql<number>`count(*)::int`,
      wait: sql<number>`coalesce(ceil(${hours * 3600}::int - ${age})::int, 0)`,
    })
    .from(mail)
    .where(
      and(
        columnIs(per, value),
        inArray(mail.kind, [...kinds]),
        gt(mail.createdAt, sql`clock_timestamp() - make_interval(hours => ${hours}::int)`),
        among,
      ),
    );
  return row === undefined || row.count < most ? null : Math.max(1, row.wait);
}

/** Seconds until one more such mail may be sent; null if it may now. `among`: which mails are counted, all unless given. */
export async function mailWait(db: Queries, mail: Counted, among?: SQL): Promise<number | null> {
  for (const limit of Object.values<MailLimit>(MAIL_LIMITS)) {
    const value = mail[limit.per];
    if (value == null || !limit.kinds.includes(mail.kind)) continue;
    const wait = await waitUnder(db, limit, value, among);
    if (wait !== null) return wait;
  }
  return null;
}

/** Whether a claimed mail is one too many: those queued, claimed or sent before it have used a limit up. */
export async function isOneTooMany(db: Queries, claimed: ClaimedMail): Promise<boolean> {
  const isClaimedEarlier = and(gt(mail.attempts, 0), lt(mail.nextAttemptAt, claimed.leasedUntil ?? ""));
  const isBefore = or(lt(mail.id, claimed.id), ne(mail.status, "pending"), isClaimedEarlier);
  return (await mailWait(db, claimed, isBefore)) !== null;
}
