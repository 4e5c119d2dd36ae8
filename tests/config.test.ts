// The environment (contract section 7): defaults, what each variable takes, and that a wrong value stops the start.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ConfigError, misspelledSettings, readConfig } from "../src/config.js";
import { SERVER } from "./helpers/spawned.js";

/** Stands in every wrong value, so that its echo is found. */
const SECRET = "s3cr3t";

const WRONG: [string, string[]][] = [
  ["PORT", [SECRET, "-1", "65536", "80.5", "0x50", "1e3", " 80", "8 0", "99999999999"]],
  ["DATABASE_URL", [SECRET, `http://${SECRET}@host/db`, `mysql://root:${SECRET}@host/db`, "//host/db"]],
  ["DATABASE_POOL_SIZE", [SECRET, "0", "-1", "1001", "8.0"]],
  ["DATABASE_DIRECT_URL", [SECRET, `https://${SECRET}@host/db`]],
  ["DATABASE_PREPARE", [SECRET, "yes", "1", "TRUE", "on"]],
  ["DATABASE_DISTRIBUTED", [SECRET, "yes", "1"]],
  ["DATABASE_REPLICA_URLS", [SECRET, `postgres://root@host/db,http://${SECRET}@host/db`]],
  ["PUBLIC_URL", [SECRET, `ftp://${SECRET}/`, "localhost:3000", "//example.org"]],
  ["APP_URL", [SECRET, `ftp://${SECRET}/`, "localhost:3000"]],
  ["MAIL_URL", [SECRET, `http://u:${SECRET}@host`, "mail.example.org:25"]],
  ["MAIL_FROM", [SECRET, `${SECRET}@a@b`, `Board <${SECRET}`, `"Board" <${SECRET}@a>`, `a@b\r\nBcc: ${SECRET}@c`]],
  ["CORS_ORIGIN", [SECRET, "*", "https://example.org/", "https://example.org/path", `https://example.org,${SECRET}`]],
  ["TRUST_PROXY", [SECRET, "yes", "1", "10.0.0.0/33", "10.0.0.0/x", "::1/129", `10.0.0.1,${SECRET}`, "loop back"]],
  ["SECRET_KEY", [SECRET, "A".repeat(32), `${"A".repeat(43)}=,${SECRET}`, Buffer.alloc(33).toString("base64")]],
  ["SIGN_UP", [SECRET, "Open", "true", "none"]],
  ["PASSWORD_SIGN_IN", [SECRET, "true", "On"]],
  ["RATE_LIMIT_PER_MINUTE", [SECRET, "-1", "1.5", "1000001", "none"]],
  ["AUTH_RATE_LIMIT_PER_MINUTE", [SECRET, "-1", "1.5", "off"]],
  ["WEB", [SECRET, "true", "On"]],
  ["WEBHOOK_ALLOW_PRIVATE", [SECRET, "yes", "1", "False"]],
  ["LOG_LEVEL", [SECRET, "verbose", "INFO", "30"]],
  ["METRICS", [SECRET, "yes", "0"]],
];
const CASES = WRONG.flatMap(([name, values]) => values.map((value) => ({ name, value })));

test.each(CASES)("$name=$value stops the start with one line that names it and does not repeat the value", (wrong) => {
  const read = () => readConfig({ [wrong.name]: wrong.value });
  expect(read).toThrow(ConfigError);
  try {
    read();
  } catch (error) {
    const { message } = error instanceof ConfigError ? error : { message: "" };
    expect(message).toMatch(new RegExp(`^${wrong.name} [^\n]+$`));
    expect(message).not.toContain(SECRET);
  }
});

test.each([
  ["*", "entry 1 is *, but each origin must be listed"],
  ["https://a.example, b.example", "entry 2 does not begin with https:// or http://"],
  ["https://a.example/", "entry 1 has a slash or a path behind the host"],
  ["https://a.example/app", "entry 1 has a slash or a path behind the host"],
  ["https://a.example:443", "entry 1 is not in lower case, or names the default port"],
  ["https://A.example", "entry 1 is not in lower case, or names the default port"],
  ["https://me@a.example", "entry 1 has something before the host"],
  ["ftp://a.example,https://b.example,*", "entry 1 does not begin with https:// or http://, entry 3 is *, but each"],
])("CORS_ORIGIN=%s is refused with the reason", (value, reason) => {
  expect(() => readConfig({ CORS_ORIGIN: value })).toThrow(reason);
});

test("names that differ from a setting by a letter or by case are said, and no others", () => {
  const others = ["TEST_DATABASE_URL", "DATABASE_USER", "DATABASE_HOST", "HOSTNAME", "HOSTS", "PORTS", "PG_DATA_DIR"];
  expect(misspelledSettings(Object.fromEntries(others.map((name) => [name, SECRET])))).toEqual([]);
  const misspelled = ["DATABSE_URL", "DATABASE_ULR", "CORS_ORIGINS", "PUBLIC_URI", "LOGLEVEL", "database_url"];
  const known = ["DATABASE_URL", "DATABASE_URL", "CORS_ORIGIN", "PUBLIC_URL", "LOG_LEVEL", "DATABASE_URL"];
  const lines = misspelledSettings(Object.fromEntries(misspelled.map((name) => [name, SECRET])));
  expect(lines).toEqual(
    misspelled.map((name, index) => `${name} is not a setting and is ignored. Do you mean ${known[index]}?`),
  );
});

test("without any variable everything has the default of the contract", () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: "127.0.0.1",
    databaseUrl: undefined,
    dataDir: "./data",
    databasePoolSize: 8,
    databaseDirectUrl: undefined,
    databasePrepare: true,
    databaseDistributed: false,
    databaseReplicaUrls: [],
    publicUrl: "http://localhost:3000",
    appUrl: null,
    mail: null,
    corsOrigins: [],
    trustProxy: false,
    secretKeys: [],
    signUp: "open",
    retentionDays: { events: null, audit: 400 },
    oidcProviders: [],
    passwordSignIn: true,
    rateLimitPerMinute: 300,
    authRateLimitPerMinute: 10,
    webhookAllowPrivate: false,
    trelloAppKey: undefined,
    githubClientId: undefined,
    logLevel: "info",
    metrics: true,
    metricsToken: undefined,
    web: true,
  });
});

test("all wrong variables are named at once, a line each, whatever is wrong with the others", () => {
  const [first = {}, second = {}] = [0, 1].map(() => ({ id: "A", name: "", issuer: SECRET, redirectUris: [] }));
  const read = () =>
    readConfig({
      ...Object.fromEntries(WRONG.map(([name, [value]]) => [name, value])),
      OIDC_PROVIDERS: JSON.stringify([first, second]),
    });
  expect(read).toThrow(ConfigError);
  try {
    read();
  } catch (error) {
    const { message } = error instanceof ConfigError ? error : { message: "" };
    const named = message.split("\n").map((line) => line.slice(0, line.indexOf(" ")));
    expect([...new Set(named)].toSorted()).toEqual([...WRONG.map(([name]) => name), "OIDC_PROVIDERS"].toSorted());
    expect(named.filter((name) => name === "OIDC_PROVIDERS").length).toBeGreaterThan(8);
    expect(named.length - new Set(named).size).toBe(named.filter((name) => name === "OIDC_PROVIDERS").length - 1);
    expect(message).not.toContain(SECRET);
  }
  const wrongPort = "PORT must be a whole number";
  const noSender = "MAIL_FROM must be set where MAIL_URL is";
  expect(() => readConfig({ PORT: "many", MAIL_URL: "smtp://localhost" })).toThrow(`${wrongPort}\n${noSender}`);
});

test("a mail server needs a sender", () => {
  expect(() => readConfig({ MAIL_URL: "smtp://localhost" })).toThrow(/^MAIL_FROM must be set where MAIL_URL is$/);
});

test("a variable that is set to nothing counts as unset", () => {
  const names = [
    ...WRONG.map(([name]) => name),
    "HOST",
    "DATA_DIR",
    "TRELLO_APP_KEY",
    "GITHUB_CLIENT_ID",
    "METRICS_TOKEN",
    "OIDC_PROVIDERS",
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfig({}));
});

describe("a right value is taken", () => {
  test.each([
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "8080" }, { port: 8080, publicUrl: "http://localhost:8080" }],
    [{ PUBLIC_URL: "https://board.example.org/" }, { publicUrl: "https://board.example.org" }],
    [{ APP_URL: "https://app.example.org/board/" }, { appUrl: "https://app.example.org/board" }],
    [
      { MAIL_URL: "smtps://u:p@mail.example.org", MAIL_FROM: "Work Board <board@example.org>" },
      { mail: { url: "smtps://u:p@mail.example.org", from: "Work Board <board@example.org>" } },
    ],
    [{ MAIL_URL: "smtp://mail:25", MAIL_FROM: "board@example.org" }, { mail: { from: "board@example.org" } }],
    [{ MAIL_FROM: "board@example.org" }, { mail: null }],
    [{ DATABASE_URL: "postgresql://u:p@host:5433/db?sslmode=require" }, { databasePrepare: true }],
    [{ DATABASE_URL: "postgres:///db?host=/run/pg" }, { databaseUrl: "postgres://%2Frun%2Fpg/db" }],
    [
      { DATABASE_URL: "postgresql://u:p@/db?host=/run/pg&port=5433&sslmode=disable" },
      { databaseUrl: "postgresql://u:p@%2Frun%2Fpg:5433/db?sslmode=disable" },
    ],
    [{ DATABASE_DIRECT_URL: "postgres://host/db" }, { databasePrepare: false }],
    [{ DATABASE_DIRECT_URL: "postgres://host/db", DATABASE_PREPARE: "true" }, { databasePrepare: true }],
    [{ DATABASE_PREPARE: "false" }, { databasePrepare: false }],
    [{ DATABASE_DISTRIBUTED: "true" }, { databaseDistributed: true }],
    [
      { DATABASE_REPLICA_URLS: "postgres://a/db, postgres://b/db," },
      { databaseReplicaUrls: ["postgres://a/db", "postgres://b/db"] },
    ],
    [
      { CORS_ORIGIN: "https://a.example.org, http://localhost:5173" },
      { corsOrigins: ["https://a.example.org", "http://localhost:5173"] },
    ],
    [{ TRUST_PROXY: "true" }, { trustProxy: true }],
    [{ TRUST_PROXY: "false" }, { trustProxy: false }],
    [{ TRUST_PROXY: "10.0.0.1, fd00::/8" }, { trustProxy: ["10.0.0.1", "fd00::/8"] }],
    [{ SECRET_KEY: `${"A".repeat(43)}=` }, { secretKeys: [Buffer.alloc(32)] }],
    [{ SIGN_UP: "invited" }, { signUp: "invited" }],
    [
      { RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "5" },
      { rateLimitPerMinute: 0, authRateLimitPerMinute: 5 },
    ],
    [{ METRICS: "false" }, { metrics: false }],
  ])("%j", (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });
});

test("the service itself ends with that line alone, on standard error, and code 1", { tags: ["slow"] }, async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${SERVER}`, import.meta.url))], {
    env: { PATH: process.env.PATH, DATABASE_URL: `http://root:${SECRET}@host/db` },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  const [code] = await once(child, "close");
  expect({ code, out, err }).toEqual({
    code: 1,
    out: "",
    err: "DATABASE_URL must be a URL that begins with postgres:// or postgresql://\n",
  });
});
