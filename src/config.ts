// The only reader of the environment (contract section 7). Everything else is given a Config.

import { isIP } from "node:net";
import { z } from "zod";
import { nearestName } from "./nearestName.js";
import { OidcProviders } from "./oidcSettings.js";

/** A variable that is set to nothing counts as unset. */
const unsetWhenEmpty = (value: unknown) => (value === "" ? undefined : value);
const variable = <T extends z.ZodType>(schema: T) => z.preprocess(unsetWhenEmpty, schema);

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

const urlOf = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  });

const POSTGRES_URL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)[^/?#:]*(?::(\d+))?([^?#]*)\?(.*)$/;

/**
 * A URL whose query names the host, as libpq allows, with that host in its place. The directory of a Unix socket is percent-encoded
 * there: `postgres://user@/db?host=/run/postgresql` becomes `postgres://user@%2Frun%2Fpostgresql/db`.
 */
function withHostInPlace(url: string): string {
  const [, front = "", written = null, path = "", query] = POSTGRES_URL.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const host = parameters.get("host");
  if (host === null) return url;
  const port = parameters.get("port") ?? written;
  for (const name of ["host", "port"]) parameters.delete(name);
  const rest = parameters.size === 0 ? "" : `?${parameters}`;
  return `${front}${encodeURIComponent(host)}${port === null ? "" : `:${port}`}${path}${rest}`;
}

/** The address of a PostgreSQL server. */
export const postgresUrl = z.string().transform(withHostInPlace).pipe(urlOf("postgres:", "postgresql:"));

/** An address, alone or as `Name <address>`. Nothing of it can end a line of a header. */
const SENDER =
  /^(?:[^<>"\p{Cc}]{1,100} )?<[^\s<>@"\p{Cc}]{1,64}@[^\s<>@"\p{Cc}]{1,255}>$|^[^\s<>@"\p{Cc}]{1,64}@[^\s<>@"\p{Cc}]{1,255}$/u;

const withoutEndSlashes = (url: string) => url.replace(/\/+$/, "");

const commaSeparated = (value: string) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const SECRET_KEY_BYTES = 32;
const bytesOf = (base64: string) => Buffer.from(base64, "base64");
const isSecretKey = (value: string) =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(value) && bytesOf(value).length === SECRET_KEY_BYTES;

/** The reason why a value is no origin; undefined for an origin. The value is not repeated: it may be a secret in the wrong place. */
function originProblem(value: string): string | undefined {
  if (value === "*") return "is *, but each origin must be listed";
  if (!URL.canParse(value) || !/^https?:/.test(value)) return "does not begin with https:// or http://";
  const { origin } = new URL(value);
  if (origin === value) return undefined;
  if (value.startsWith(`${origin}/`)) return "has a slash or a path behind the host";
  if (value.includes("@")) return "has something before the host";
  return "is not in lower case, or names the default port";
}

/** Says which entry of a list is no origin, by its number, and why. */
function mustBeOrigins(values: readonly string[], context: z.RefinementCtx): void {
  const problems = values.flatMap((value, index) => {
    const problem = originProblem(value);
    return problem === undefined ? [] : [`entry ${index + 1} ${problem}`];
  });
  if (problems.length === 0) return;
  context.addIssue(`must be origins such as https://app.example.org, separated by commas: ${problems.join(", ")}`);
}

function isAddressOrRange(value: string): boolean {
  const [address = "", bits, ...rest] = value.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const Variables = z.object({
  PORT: variable(wholeNumber(0, 65_535).default(3000)),
  HOST: variable(z.string().default("127.0.0.1")),
  DATABASE_URL: variable(postgresUrl.optional()),
  DATA_DIR: variable(z.string().default("./data")),
  DATABASE_POOL_SIZE: variable(wholeNumber(1, 1000).default(8)),
  DATABASE_DIRECT_URL: variable(postgresUrl.optional()),
  DATABASE_PREPARE: variable(flag.optional()),
  DATABASE_DISTRIBUTED: variable(flag.default(false)),
  DATABASE_REPLICA_URLS: variable(z.string().transform(commaSeparated).pipe(z.array(postgresUrl)).default([])),
  PUBLIC_URL: variable(urlOf("http:", "https:").optional()),
  APP_URL: variable(urlOf("http:", "https:").optional()),
  MAIL_URL: variable(urlOf("smtp:", "smtps:").optional()),
  MAIL_FROM: variable(
    z.string().regex(SENDER, "must be an address, or a name and an address: Name <address>").optional(),
  ),
  CORS_ORIGIN: variable(z.string().transform(commaSeparated).superRefine(mustBeOrigins).default([])),
  TRUST_PROXY: variable(
    z
      .string()
      .transform((value) => (value === "true" || value === "false" ? value === "true" : commaSeparated(value)))
      .refine((value) => typeof value === "boolean" || value.every(isAddressOrRange), {
        message: "must be true, false, or addresses and ranges separated by commas",
      })
      .default(false),
  ),
  SECRET_KEY: variable(
    z
      .string()
      .transform(commaSeparated)
      .refine((keys) => keys.every(isSecretKey), "must be keys of 32 bytes in base64, separated by commas")
      .transform((keys) => keys.map(bytesOf))
      .default([]),
  ),
  SIGN_UP: variable(z.enum(["open", "invited", "closed"], "must be open, invited or closed").default("open")),
  OIDC_PROVIDERS: variable(OidcProviders.default([])),
  PASSWORD_SIGN_IN: variable(z.enum(["on", "off"], "must be on or off").default("on")),
  RATE_LIMIT_PER_MINUTE: variable(wholeNumber(0, 1_000_000).default(300)),
  AUTH_RATE_LIMIT_PER_MINUTE: variable(wholeNumber(0, 1_000_000).default(10)),
  WEB: variable(z.enum(["on", "off"], "must be on or off").default("on")),
  WEBHOOK_ALLOW_PRIVATE: variable(flag.default(false)),
  TRELLO_APP_KEY: variable(z.string().optional()),
  GITHUB_CLIENT_ID: variable(z.string().optional()),
  AUDIT_DAYS: variable(wholeNumber(1, 36_500).default(400)),
  EVENT_DAYS: variable(wholeNumber(1, 36_500).optional()),
  LOG_LEVEL: variable(
    z
      .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "must be a level such as info")
      .default("info"),
  ),
  METRICS: variable(flag.default(true)),
  METRICS_TOKEN: variable(z.string().optional()),
});

const Environment = Variables.refine(({ MAIL_URL, MAIL_FROM }) => MAIL_URL === undefined || MAIL_FROM !== undefined, {
  path: ["MAIL_FROM"],
  message: "must be set where MAIL_URL is",
  // Also where another variable is wrong.
  when: ({ issues }) => issues.every(({ path }) => !/^MAIL_/.test(String(path?.[0]))),
}).transform((env) => ({
  port: env.PORT,
  host: env.HOST,
  databaseUrl: env.DATABASE_URL,
  dataDir: env.DATA_DIR,
  databasePoolSize: env.DATABASE_POOL_SIZE,
  databaseDirectUrl: env.DATABASE_DIRECT_URL,
  databasePrepare: env.DATABASE_PREPARE ?? env.DATABASE_DIRECT_URL === undefined,
  databaseDistributed: env.DATABASE_DISTRIBUTED,
  databaseReplicaUrls: env.DATABASE_REPLICA_URLS,
  publicUrl: withoutEndSlashes(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`),
  /** The base of links that people open; null: the page under `publicUrl`. */
  appUrl: env.APP_URL === undefined ? null : withoutEndSlashes(env.APP_URL),
  /** The mail server and the sender's address; null: the service sends no mail. */
  mail: env.MAIL_URL === undefined || env.MAIL_FROM === undefined ? null : { url: env.MAIL_URL, from: env.MAIL_FROM },
  corsOrigins: env.CORS_ORIGIN,
  trustProxy: env.TRUST_PROXY,
  /** Keys of AES-256: the first encrypts, all decrypt. Without one nothing can be encrypted. */
  secretKeys: env.SECRET_KEY,
  signUp: env.SIGN_UP,
  oidcProviders: env.OIDC_PROVIDERS,
  /** Whether passwords sign in. Without a provider they do in any case: nobody could sign in otherwise. */
  passwordSignIn: env.PASSWORD_SIGN_IN === "on" || env.OIDC_PROVIDERS.length === 0,
  rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
  authRateLimitPerMinute: env.AUTH_RATE_LIMIT_PER_MINUTE,
  /** Whether the page is served. */
  web: env.WEB === "on",
  webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
  trelloAppKey: env.TRELLO_APP_KEY,
  githubClientId: env.GITHUB_CLIENT_ID,
  /** For how many days what the operator decides on is kept; null: for ever. */
  retentionDays: { audit: env.AUDIT_DAYS, events: env.EVENT_DAYS ?? null },
  logLevel: env.LOG_LEVEL,
  metrics: env.METRICS,
  metricsToken: env.METRICS_TOKEN,
}));

/** The settings of one process, with every default filled in. */
export type Config = z.output<typeof Environment>;

/** Variables of the environment have wrong values. The message is a line for each problem, which names the variable. */
export class ConfigError extends Error {}

/** Reads the settings. @throws ConfigError naming every variable that is wrong, but no value: it may hold a secret. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
  throw new ConfigError(problems.join("\n"));
}

/** Shorter names are too often names of something else. */
const MISSPELLED_FROM_LENGTH = 8;

/** A sentence for each variable of the environment that is nearly a setting, and is therefore ignored. */
export function misspelledSettings(env: Record<string, string | undefined> = process.env): string[] {
  const known = Object.keys(Variables.shape);
  return Object.keys(env)
    .filter((name) => name.length >= MISSPELLED_FROM_LENGTH && !known.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name, known);
      return nearest === undefined ? [] : [`${name} is not a setting and is ignored. Do you mean ${nearest}?`];
    });
}
