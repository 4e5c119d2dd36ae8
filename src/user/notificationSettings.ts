// The settings by which a person is notified (capabilities section 1): one row per account, and its time zone.

import { randomBytes } from "node:crypto";
import { eq, getTableColumns, sql } from "drizzle-orm";
import { z } from "zod";
import { definedOf } from "../api/defined.js";
import { isSame } from "../api/digests.js";
import { badRequest, unauthorized } from "../api/errors.js";
import { Ok, ok, Text } from "../api/shapes.js";
import { knownTimeZone, TimeZone } from "../api/timeZones.js";
import { personalProcedure, publicProcedure } from "../api/trpc.js";
import type { Queries } from "../db/client.js";
import { account, notificationSettings as settingsTable } from "../db/schema/index.js";
import { DEFAULT_MAIL_TIMES, MAIL_TIMES, type MailedKind, perMailKind } from "../db/schema/mailTimes.js";
import { changeAccount } from "./accountChanges.js";

const tags = ["Notifications"];

/** The longest time that a reminder may come before a due date: 30 days. */
const DUE_MINUTES_MAX = 43_200;

/** The settings of an account that never changed them. */
export const DEFAULT_SETTINGS = { digestHour: 8, dueMinutes: 1440, ...DEFAULT_MAIL_TIMES };

const DigestHour = z
  .int()
  .min(0)
  .max(23)
  .meta({ description: "The hour at which the daily mail is sent, in the time zone of the account." });
const DueMinutes = z
  .int()
  .min(0)
  .max(DUE_MINUTES_MAX)
  .nullable()
  .meta({ description: "How many minutes before its due date a card is notified of; null: never." });

const MailTime = z.enum(MAIL_TIMES);
const emailFields = {
  mention: MailTime.meta({ description: "When somebody mentions you." }),
  reply: MailTime.meta({ description: "When somebody replies to your comment." }),
  assigned: MailTime.meta({ description: "When somebody assigns a card to you." }),
  comment: MailTime.meta({ description: "When somebody comments on a card that you watch." }),
  due: MailTime.meta({ description: "When a card is due soon." }),
  membership: MailTime.meta({
    description: "When somebody joins by your invitation, changes your role or removes you.",
  }),
} satisfies Record<MailedKind, z.ZodType>;

const NotificationSettings = z
  .object({
    timeZone: z.string().meta({ description: "An IANA time zone." }),
    digestHour: DigestHour,
    dueMinutes: DueMinutes,
    email: z
      .object(emailFields)
      .meta({ description: "What is sent as mail: `now`, once a day (`daily`), or not at all (`off`)." }),
  })
  .meta({ id: "NotificationSettings", description: "When and how a person is notified." });

type Stored = typeof settingsTable.$inferSelect;
type Settings = Pick<Stored, keyof typeof DEFAULT_SETTINGS>;

/** The settings of an account, with the defaults where it has none. */
export async function settingsOf(db: Queries, accountId: number): Promise<Settings> {
  const [stored] = await db.select(settingsColumns).from(settingsTable).where(eq(settingsTable.accountId, accountId));
  return stored ?? DEFAULT_SETTINGS;
}

const { accountId: _key, unsubscribeToken: _token, ...settingsColumns } = getTableColumns(settingsTable);

/** The time zone in which days of an account are counted. @throws UNAUTHORIZED if there is no such account. */
export async function timeZoneOf(db: Queries, accountId: number): Promise<string> {
  const [person] = await db.select({ timeZone: account.timeZone }).from(account).where(eq(account.id, accountId));
  if (person === undefined) throw unauthorized();
  return knownTimeZone(person.timeZone);
}

/** The settings of an account as it is shown them. */
export async function readSettings(db: Queries, accountId: number): Promise<z.output<typeof NotificationSettings>> {
  const timeZone = await timeZoneOf(db, accountId);
  const { digestHour, dueMinutes, ...email } = await settingsOf(db, accountId);
  return { timeZone, digestHour, dueMinutes, email };
}

/** Sets some of an account's settings; the others stay as they are. */
async function writeSettings(db: Queries, accountId: number, values: Partial<Stored>): Promise<void> {
  const changes = definedOf(values);
  await db
    .insert(settingsTable)
    .values({ ...DEFAULT_SETTINGS, ...changes, accountId })
    .onConflictDoUpdate({ target: settingsTable.accountId, set: { accountId, ...changes } });
}

/** The number of characters of a link's token that name the account. */
const PUBLIC_ID_LENGTH = 12;

/** The key in the links by which one account stops its mail: made when it is first asked for, then the same. */
export async function unsubscribeTokenOf(
  db: Queries,
  { accountId, publicId }: { accountId: number; publicId: string },
): Promise<string> {
  const unsubscribeToken = randomBytes(24).toString("base64url");
  const [stored] = await db
    .insert(settingsTable)
    .values({ ...DEFAULT_SETTINGS, accountId, unsubscribeToken })
    .onConflictDoUpdate({
      target: settingsTable.accountId,
      set: { unsubscribeToken: sql`coalesce(${settingsTable.unsubscribeToken}, excluded.unsubscribe_token)` },
    })
    .returning({ token: settingsTable.unsubscribeToken });
  return `${publicId}${stored?.token ?? unsubscribeToken}`;
}

/** The account whose mail a token stops; null where it stops none. */
async function accountOfToken(db: Queries, token: string): Promise<number | null> {
  const [row] = await db
    .select({ accountId: account.id, secret: settingsTable.unsubscribeToken })
    .from(account)
    .innerJoin(settingsTable, eq(settingsTable.accountId, account.id))
    .where(eq(account.publicId, token.slice(0, PUBLIC_ID_LENGTH)));
  if (row === undefined || row.secret === null) return null;
  return isSame(token.slice(PUBLIC_ID_LENGTH), row.secret) ? row.accountId : null;
}

export const notificationSettings = {
  get: personalProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/users/me/notification-settings",
        tags,
        summary: "Get my notification settings",
        description:
          "Returns the time zone of the account, when its daily mail is sent, how long before a due date it is reminded, and what is sent as mail. Requires any valid token.",
        successDescription: "The settings.",
      },
    })
    .input(z.strictObject({}).optional())
    .output(NotificationSettings)
    .query(({ ctx }) => readSettings(ctx.db, ctx.user.accountId)),

  update: personalProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/users/me/notification-settings",
        tags,
        summary: "Update my notification settings",
        description:
          "Changes the given settings. Mail goes only to an address that was verified, and only where the operator configured a mail server. Requires a token that can write.",
        successDescription: "All settings after the update.",
      },
    })
    .input(
      z.strictObject({
        timeZone: TimeZone.meta({ description: "An IANA time zone.", examples: ["Europe/Berlin"] }).optional(),
        digestHour: DigestHour.optional(),
        dueMinutes: DueMinutes.optional(),
        email: z.strictObject(emailFields).partial().optional(),
      }),
    )
    .output(NotificationSettings)
    .mutation(({ ctx, input: { timeZone, email, ...times } }) =>
      changeAccount(ctx, async ({ db, user: { accountId } }) => {
        if (timeZone !== undefined) await db.update(account).set({ timeZone }).where(eq(account.id, accountId));
        await writeSettings(db, accountId, definedOf({ ...times, ...email }));
        return readSettings(db, accountId);
      }),
    ),
};

export const unsubscribing = {
  unsubscribe: publicProcedure
    .meta({
      authLimit: true,
      takesForm: true,
      openapi: {
        method: "POST",
        path: "/mail/unsubscribe",
        protect: false,
        tags,
        summary: "Unsubscribe from mail",
        description:
          "Stops all mail about notifications to the account for which the link was made. Mail programs call it for `List-Unsubscribe` (RFC 8058), so the body may also be a form, which is ignored. An unknown token is BAD_REQUEST. Requires no access token.",
        successDescription: "The account gets no more mail about notifications.",
      },
    })
    .input(z.strictObject({ token: Text(1, 200).meta({ description: "The token in the link of the mail." }) }))
    .output(Ok)
    .mutation(async ({ ctx, input: { token } }) => {
      const accountId = await accountOfToken(ctx.db, token);
      if (accountId === null) throw badRequest("Is not the token of a link to unsubscribe", "token");
      const off = perMailKind(() => "off" as const);
      await writeSettings(ctx.db, accountId, off);
      return ok;
    }),
};
