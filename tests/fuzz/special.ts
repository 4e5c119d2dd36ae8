// What the document cannot say of its operations: values that fit together, things that a request uses up, who calls, and the
// refusals that a well-formed request may meet, word for word.

import fc from "fast-check";
import { CALLBACK } from "../helpers/issuer.js";
import type { Schema } from "./document.js";
import { boardFile, trelloFile } from "./files.js";
import { Named } from "./requests.js";
import { anyOfSchema, type Override } from "./values.js";

/** Any of the values that the world has for a field. */
const oneOf = (field: string) => fc.nat(3).map((turn) => new Named(field, turn));
const secret = oneOf("password");
const url = fc
  .tuple(fc.constantFrom("http", "https"), fc.stringMatching(/^[a-z]{1,9}$/), fc.webPath())
  .map(([scheme, host, path]) => `${scheme}://${host}.example.org${path}`);
const date = (from: string, to: string) =>
  fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map((instant) => instant.toISOString());
const FILTERS = ["*", "card.*", "card.moved", "checklist.item.*", "board.created", "member.role.changed"];

/** By `operation.field`, or by the field alone. */
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  currentPassword: secret,
  "user.delete.password": secret,
  "user.signIn.password": secret,
  "user.unsubscribe.token": oneOf("unsubscribeToken"),
  "user.resetPassword.token": oneOf("resetToken"),
  "user.stream.boards": oneOf("boardPublicId"),
  "user.confirmEmail.token": oneOf("addressToken"),
  "user.signIn.email": oneOf("email"),
  // Not an address that another operation drew from the same seed.
  "admin.users.create.email": fc.emailAddress().map((address) => address.replace(/@.*/, "@created.example.org")),
  code: oneOf("code"),
  providerId: fc.constant("example"),
  "user.oidc.start.redirectUri": fc.constant(CALLBACK),
  flowToken: oneOf("flowToken"),
  callbackUrl: oneOf("callbackUrl"),
  inviteCode: oneOf("inviteCode"),
  before: oneOf("notificationPublicId"),
  "workspace.meetings.list.from": date("2027-01-01", "2027-01-31"),
  "workspace.meetings.list.to": date("2027-02-01", "2027-12-31"),
  url,
  "board.create.labels": fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-zא-ת]{1,9}$/), colourCode: fc.constantFrom("#1f6feb", "#ABCDEF") }),
    { maxLength: 50, selector: ({ name }) => name },
  ),
  events: fc.uniqueArray(fc.constantFrom(...FILTERS), { minLength: 1, maxLength: 3 }),
  "import.board.board": boardFile,
  "import.trello.board": trelloFile,
  timeZone: fc.constantFrom("UTC", "Europe/Rome", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Etc/GMT+12"),
  expiresAt: date("2100-01-01", "9999-12-31"),
};

/** Whether a schema means an instant or a day: its pattern cannot say how many days a month has. */
const isDate = ({ pattern = "" }: Schema) => /^\^.*-\(0\[1-9\]\|1\[0-2\]\)-/.test(pattern);

/** Values of fields that a schema alone cannot say; nothing for all others. */
export function statedFor(operation: string): Override {
  return (path, schema) => {
    // Rows that go to a board that is there have no column for its name.
    if (operation === "import.csv" && path.join(".") === "mapping.board") return fc.constant(undefined);
    const field = path.at(-1) ?? "";
    const stated = path.length === 1 ? (VALUES[`${operation}.${field}`] ?? VALUES[field]) : undefined;
    return stated ?? (isDate(schema) ? date("0001-01-02", "9999-12-30") : undefined);
  };
}

/** The same but for files, whose parts need not fit together where one of them is wrong. */
export function looselyStatedFor(operation: string): Override {
  const stated = statedFor(operation);
  return (path, schema) => (path.length === 1 && path[0] === "board" ? undefined : stated(path, schema));
}

/** Fields that are optional in the document but required for most accounts. */
export const MOSTLY_GIVEN = ["currentPassword", "password", "code"];

/** One in so many is drawn from the schema all the same. */
const SCHEMA_SHARE = 8;

/** The same, but now and then from the schema alone. */
export function mostlyStatedFor(operation: string): Override {
  const stated = statedFor(operation);
  return (path, schema) => {
    const known = stated(path, schema);
    if (known === undefined) return undefined;
    const plain = anyOfSchema(schema, { path: [], override: () => undefined, isShort: false, isWhole: false });
    return fc.oneof({ arbitrary: known, weight: SCHEMA_SHARE - 1 }, plain);
  };
}

/** Fields whose thing a request uses up, beside the last one in the path of a DELETE. */
const USED_UP: Record<string, string[]> = {
  "admin.users.update": ["userPublicId"],
  "board.archive": ["boardPublicId"],
  "card.bulk.delete": ["cardPublicId"],
  "workspace.invites.accept": ["inviteCode"],
  "user.signUp": ["inviteCode"],
  "user.oidc.finish": ["inviteCode"],
};

/** The fields of which an operation needs new things each time. */
export function usedUpBy({ name, method, path }: { name: string; method: string; path: string }): string[] {
  const last = /\{(\w+)\}$/.exec(path)?.[1];
  return [...(USED_UP[name] ?? []), ...(method === "DELETE" && last !== undefined ? [last] : [])];
}

/** Operations after which an account is not what it was: each call has one of its own. */
export const NEEDS_ACCOUNT = [
  "user.signIn",
  "user.signOut",
  "user.changePassword",
  "user.delete",
  "user.export",
  "user.resetPassword",
  "user.requestEmailVerification",
  "user.confirmEmail",
  "user.changeEmail",
  "user.oidc.start",
  "user.twoFactor.begin",
  "user.twoFactor.confirm",
  "user.twoFactor.disable",
  "user.twoFactor.recoveryCodes",
];

/** Public operations that act differently for a caller with a token: every second call carries one. */
export const TAKES_TOKEN = ["user.oidc.start", "user.oidc.finish"];

/** After how many calls of an operation there is no room for more where it is called; undefined where there always is. */
export const lastsFor = (operation: string): number | undefined => ROOM[operation];

const ROOM: Record<string, number | undefined> = { "user.tokens.create": 90, "workspace.webhooks.create": 15 };

interface Refusal {
  /** The operations that may answer so; left out: any. */
  of?: RegExp;
  status: number;
  /** Of the first issue; left out: there is none. */
  field?: string;
  message?: string | RegExp;
  /** Of the request; left out: any. */
  when?: (input: Record<string, unknown>) => boolean;
}

/** What the state, or a rule that no schema can state, may answer to a request that the document allows. */
const REFUSALS: Refusal[] = [
  { of: /^workspace\.meetings\.save$/, status: 400, message: "A workspace has at most 200 meetings" },
  { of: /^(workspace|board)\.(create|update)$/, status: 400, field: "slug", message: "This slug is taken or reserved" },
  { of: /^board\.labels\./, status: 400, field: "name", message: "The board already has a label with this name" },
  { of: /^workspace\.tags\./, status: 400, field: "name", message: "The workspace already has a tag with this name" },
  { of: /^board\.create$/, status: 400, field: "labels", message: "Names must be unique, regardless of case" },
  {
    of: /^user\.signUp$|^admin\.users\.create$/,
    status: 400,
    field: "email",
    message: "An account with this address already exists",
  },
  { of: /^user\.changeEmail$/, status: 409, field: "email", message: "Belongs to another account" },
  {
    of: /^user\.(signUp|oidc\.finish)$|^workspace\.invites\.accept$/,
    status: 400,
    field: "inviteCode",
    message: "The invitation code is unknown, expired, used or revoked",
  },
  { of: /^workspace\.invites\.preview$/, status: 404 },
  { of: /^user\.signIn$/, status: 401 },
  {
    of: /^user\.unsubscribe$/,
    status: 400,
    field: "token",
    message: "Is not the token of a link to unsubscribe",
  },
  { of: /^user\.(resetPassword|confirmEmail)$/, status: 400, field: "token", message: /^The link is not valid/ },
  {
    of: /^user\.(signIn|resetPassword)$/,
    status: 401,
    field: "code",
    message: /^(Required: two-factor authentication is on|Is not a valid code)$/,
  },
  { of: /^user\.twoFactor\./, status: 400, field: "code", message: "Is not a valid code" },
  {
    of: /^user\.(changePassword|changeEmail|oidc\.start|twoFactor\.(begin|disable))$/,
    status: 400,
    field: "currentPassword",
    message: /^(Required|Is not the current password)$/,
  },
  { of: /^user\.delete$/, status: 400, field: "password", message: /^(Required|Is not the current password)$/ },
  { of: /^user\.oidc\./, status: 403, when: ({ providerId }) => providerId !== "example" },
  { of: /^user\.oidc\.start$/, status: 401, when: ({ link }) => link === true },
  {
    of: /^user\.oidc\.start$/,
    status: 400,
    field: "redirectUri",
    message: "Is not a redirect URI of this provider",
  },
  {
    of: /^user\.oidc\.finish$/,
    status: 400,
    field: "flowToken",
    message: "Is unknown, was used before, or has expired",
  },
  {
    of: /^user\.oidc\.finish$/,
    status: 400,
    field: "callbackUrl",
    message: /^(Must be a URL|Is not the redirect URI that the sign-in began with)$/,
  },
  { of: /^user\.tokens\.create$/, status: 400, field: "expiresAt", message: "Must be in the future" },
  { of: /\.stream$/, status: 400, field: "lastEventId", message: "Must be the id of an event of this stream" },
  { of: /\.stream$/, status: 400, field: "lastEventId", message: "Must be the id of a notification of this stream" },
  { of: /^user\.stream$/, status: 400, field: "boards", message: "Required without `notifications`" },
  { of: /^user\.stream$/, status: 400, field: "boards", message: "Must have at most 50 boards" },
  {
    of: /^import\.(board|trello)$/,
    status: 400,
    field: "board",
    message:
      /^(This identifier appears twice in the file|An open card must be in a list|Must be an earlier comment|Must be one of .*|Must have at most .*)$/,
  },
  { status: 400, field: "cursor", message: "Must be a nextCursor of this list" },
  { of: /^notification\.list$/, status: 400, field: "before", message: "Must be one of your notifications" },
  { of: /^workspace\.meetings\.list$/, status: 400, field: "from", message: "Required together with `to`" },
  { of: /^workspace\.meetings\.list$/, status: 400, field: "to", message: "Required together with `from`" },
  { of: /^workspace\.meetings\.list$/, status: 400, field: "to", message: "Must be later than `from`" },
  { of: /^workspace\.meetings\.list$/, status: 400, field: "to", message: "Must be at most 366 days after `from`" },
  {
    of: /^(user\.notificationSettings\.update|workspace\.calendar)$/,
    status: 400,
    field: "timeZone",
    message: "This time zone does not exist",
  },
  {
    of: /^workspace\.members\.(setRole|remove)$/,
    status: 400,
    field: "memberPublicId",
    message: "A workspace must have at least one admin",
  },
  { of: /^workspace\.webhooks\.(create|update)$/, status: 400, field: "url", message: "Must be a URL" },
  { of: /^board\.getPublic$/, status: 404 },
  { of: /^import\.authorizeUrl$/, status: 404 },
  { of: /^import\.csvPreview$/, status: 400, field: "csv" },
  { of: /^import\.csv$/, status: 400, field: "mapping", message: /^Cannot be combined with boardPublicId/ },
  {
    of: /^import\.csv$/,
    status: 400,
    field: "boardName",
    message: "Required without boardPublicId",
    when: ({ boardPublicId, boardName }) => boardPublicId === undefined && boardName === undefined,
  },
  { of: /^card\.update$/, status: 412 },
];

const isMeant = (wanted: string | RegExp | undefined, message: string | undefined) =>
  wanted === undefined || (wanted instanceof RegExp ? wanted.test(message ?? "") : wanted === message);

const NO_INSTANT = [
  "Must be an ISO 8601 date-time with a zone, or a date",
  "Must be a date, or an ISO 8601 date-time with a zone",
];

/** Whether a text names a day that no calendar has, or an instant outside the years 0001 to 9999. */
function isNoInstant(text: unknown): boolean {
  if (typeof text !== "string") return false;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) return true;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) || instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999;
}

const valueAt = (input: unknown, path: readonly (string | number)[]) =>
  path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input);

interface Answered {
  status: number;
  body: unknown;
}

interface Issue {
  path: (string | number)[];
  message: string;
}

/** Why a request that the document allows was refused as it was; null where nothing explains it. */
export function reasonOf(operation: string, { status, body }: Answered, input: Record<string, unknown>): string | null {
  const issues: Issue[] = Object(body).issues ?? [];
  const [issue] = issues;
  if (status === 400 && NO_INSTANT.includes(issue?.message ?? "") && isNoInstant(valueAt(input, issue?.path ?? [])))
    return "no such instant";
  const refusal = REFUSALS.find(
    ({ of, status: wanted, field, message, when }) =>
      (of === undefined || of.test(operation)) &&
      wanted === status &&
      issue?.path[0] === field &&
      isMeant(message, issue?.message) &&
      (when === undefined || when(input)),
  );
  if (refusal === undefined) return null;
  return [status, refusal.field ?? "", issue?.message ?? ""].filter((part) => part !== "").join(" ");
}
