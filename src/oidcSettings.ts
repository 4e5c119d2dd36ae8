// The OpenID Connect providers of OIDC_PROVIDERS: what one consists of, and how the variable is read (capabilities sections 2 and 10).

import { readFileSync } from "node:fs";
import { z } from "zod";
import { asciiDomain } from "./emailAddress.js";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Schemes of native applications have a dot (RFC 8252, section 7.1), which keeps `javascript:` and the like out. */
const REDIRECT_PROTOCOL = /^(?:https?|[a-z][a-z0-9+-]*\.[a-z0-9.+-]+):$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Whether a URL may be called without TLS: on this machine alone. */
export const isLoopbackHttp = ({ protocol, hostname }: URL) => protocol === "http:" && LOOPBACK.test(hostname);

const urlOrNull = (value: string) => (URL.canParse(value) ? new URL(value) : null);
const isBare = ({ search, hash, username, password }: URL) => `${search}${hash}${username}${password}` === "";

function isIssuer(value: string): boolean {
  const url = urlOrNull(value);
  return url !== null && isBare(url) && (url.protocol === "https:" || isLoopbackHttp(url));
}

function isRedirectUri(value: string): boolean {
  const url = urlOrNull(value);
  return url !== null && isBare(url) && !/[?#]/.test(value) && REDIRECT_PROTOCOL.test(url.protocol);
}

const text = (maximum: number) => z.string("must be text").min(1, "must not be empty").max(maximum, "is too long");
const listOf = <T extends z.ZodType>(item: T) => z.array(item, "must be a list").min(1, "must not be empty");

const Scopes = z
  .union([text(500).transform((value) => value.trim().split(/\s+/)), listOf(text(100))], "must be a list or text")
  .refine((scopes) => scopes.includes("openid"), "must include openid");

const Provider = z.strictObject(
  {
    id: z.string("must be text").regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9 and -"),
    name: text(64),
    issuer: z.string("must be text").refine(isIssuer, "must be an https URL without query (http on localhost alone)"),
    clientId: text(1000),
    clientSecret: text(10_000),
    scopes: Scopes.default(["openid", "email", "profile"]),
    redirectUris: listOf(z.string("must be text").refine(isRedirectUri, "must be a URL without query and fragment")),
    allowedDomains: listOf(
      z.string("must be text").overwrite(asciiDomain).regex(DOMAIN, "must be a domain such as example.org"),
    ).optional(),
    linkByEmail: z.boolean("must be true or false").default(false),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `has an unknown field: ${issue.keys?.[0]}` : "must be an object",
  },
);

/** A provider that people sign in with. */
export type OidcProvider = z.output<typeof Provider>;

const Providers = z
  .array(Provider, "must be a list of providers")
  .refine((providers) => new Set(providers.map(({ id }) => id)).size === providers.length, "has an id twice");

/** The text of the variable, or of the file whose path it is; null where there is no such file. */
function jsonIn(value: string): string | null {
  if (/^\s*[[{]/.test(value)) return value;
  try {
    return readFileSync(value, "utf8");
  } catch {
    return null;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const inWords = ({ path, message }: z.core.$ZodIssue) =>
  [path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join(""), message].join(" ").trim();

/** The value of OIDC_PROVIDERS: JSON, or the path of a file that holds it. What is wrong names the place and repeats no value. */
export const OidcProviders = z.string().transform((value, ctx): OidcProvider[] => {
  const fail = (message: string) => {
    ctx.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  const json = jsonIn(value);
  if (json === null) return fail("must be JSON, or the path of a file that can be read");
  const result = Providers.safeParse(parsed(json));
  if (result.success) return result.data;
  if (parsed(json) === undefined) return fail("is not valid JSON");
  for (const issue of result.error.issues) fail(inWords(issue));
  return z.NEVER;
});
