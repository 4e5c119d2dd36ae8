// `work-board doctor`: checks what the service depends on and prints a line per check (capabilities section 4).

import { access, constants } from "node:fs/promises";
import { type Config, misspelledSettings } from "../config.js";
import { openDatabase, type Queries } from "../db/client.js";
import { areDistributed, NOT_EXPECTED } from "../db/distribution.js";
import type { Driver } from "../db/driver.js";
import { migrationCounts } from "../db/migrate.js";
import { serversOf } from "../db/servers.js";
import { openSender } from "../mail/smtp.js";
import type { OidcProvider } from "../oidcSettings.js";
import { problemOf } from "../user/oidc/providers.js";
import { countSecondFactors } from "../user/secondFactors.js";
import { plural, printable } from "./commands/columns.js";
import { CommandError, NoInput, operatorCommand } from "./commands/command.js";
import { errorLineOf } from "./commands/errorLines.js";
import { serverOf } from "./status.js";

/** The result of one check. */
export interface Finding {
  subject: string;
  /** The result of a check, or the problem that it found. */
  text: string;
  isFailed: boolean;
}

const SUBJECT_WIDTH = 16;

/** Findings as lines. @throws CommandError behind the last, where a check failed. */
export async function* report(findings: AsyncIterable<Finding> | Iterable<Finding>): AsyncGenerator<string> {
  let failed = 0;
  for await (const { subject, text, isFailed } of findings) {
    if (isFailed) failed += 1;
    yield printable(`${isFailed ? "failed" : "ok    "}  ${subject.padEnd(SUBJECT_WIDTH)}  ${text}`);
  }
  if (failed > 0) throw new CommandError(`${plural(failed, "check")} failed`);
}

const problemIn = (error: unknown) => errorLineOf(error) ?? (error instanceof Error ? error.message : String(error));

/** Runs a check, which gives what it found and throws what is wrong. */
async function finding(subject: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { subject, text: await check(), isFailed: false };
  } catch (error) {
    return { subject, text: problemIn(error), isFailed: true };
  }
}

async function reached(driver: Driver): Promise<Queries> {
  await driver.ping();
  return openDatabase(driver);
}

async function databaseText(db: Queries, { databaseUrl, dataDir, databaseDistributed }: Config): Promise<string> {
  const version = `PostgreSQL ${(await serverOf(db)).version}`;
  const isOnMany = await areDistributed(db);
  if (isOnMany && !databaseDistributed) throw new CommandError(NOT_EXPECTED);
  if (!isOnMany && databaseDistributed) {
    throw new CommandError(
      "DATABASE_DISTRIBUTED is true, but the tables are not distributed: unset it, or run distribute",
    );
  }
  const place = databaseUrl === undefined ? `embedded in ${dataDir}, ` : "";
  return `${place}${version}${isOnMany ? ", distributed by Citus" : ""}`;
}

async function serversText(db: Queries): Promise<string> {
  const servers = await serversOf(db);
  const problems = servers.flatMap(({ address, isActive, isReached }) =>
    !isActive ? [`${address} is inactive`] : !isReached ? [`${address} is out of reach`] : [],
  );
  if (problems.length > 0) throw new CommandError(`${problems.join(", ")}: ${servers.length} servers are expected`);
  return `${servers.length} reached, all active`;
}

async function migrationsText(db: Queries): Promise<string> {
  const { applied, missing } = await migrationCounts(db);
  if (missing > 0) throw new CommandError(`${missing} are missing: start the service once to run them`);
  return `${applied} of ${applied} applied`;
}

async function secondFactorsText(db: Queries, config: Config): Promise<string> {
  const { all, unreadable } = await countSecondFactors(db, config);
  if (unreadable > 0) {
    throw new CommandError(
      `No key of SECRET_KEY decrypts ${unreadable} of ${all}: set the key that they were encrypted with, or run user remove-two-factor for each account`,
    );
  }
  return config.secretKeys.length === 0 ? "SECRET_KEY is not set: nobody can switch one on" : `${all} in use`;
}

async function mailText({ mail }: Config): Promise<string> {
  if (mail === null) return "MAIL_URL is not set: links are passed on by hand";
  const sender = openSender(mail);
  try {
    const problem = await sender.problem();
    if (problem !== null) throw new CommandError(problem);
    return "the mail server lets the service in";
  } finally {
    sender.close();
  }
}

async function filesText({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) return "none are kept beside the database";
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  return `DATA_DIR ${dataDir} can be written`;
}

async function providerText(provider: OidcProvider, { publicUrl, web }: Config): Promise<string> {
  const problem = await problemOf(provider);
  if (problem !== null) throw new CommandError(problem);
  const page = `${publicUrl}/callback`;
  if (!web || provider.redirectUris.includes(page)) return provider.issuer;
  return `${provider.issuer}, but the page cannot sign people in with it: redirectUris lacks ${page}`;
}

/** Checks the database, its migrations, second factors, mail, providers and files, under settings that could be read. */
export async function* examine(config: Config, open: () => Driver | Promise<Driver>): AsyncGenerator<Finding> {
  yield { subject: "settings", text: ["can be read", ...misspelledSettings()].join(". "), isFailed: false };
  const opening = (async () => reached(await open()))();
  yield await finding("database", async () => databaseText(await opening, config));
  const unreached = () => Promise.reject(new CommandError("The database was not reached"));
  const inDatabase = async (check: (db: Queries) => Promise<string>) => check(await opening.catch(unreached));
  if (config.databaseDistributed) yield await finding("servers", () => inDatabase(serversText));
  yield await finding("migrations", () => inDatabase(migrationsText));
  yield await finding("second factors", () => inDatabase((db) => secondFactorsText(db, config)));
  yield await finding("mail", () => mailText(config));
  for (const provider of config.oidcProviders) {
    yield await finding(`provider ${provider.id}`, () => providerText(provider, config));
  }
  yield await finding("files", () => filesText(config));
}

/** The command in a service that has the embedded database open. Otherwise the command line runs the checks itself. */
export const doctorInService = operatorCommand({
  name: "doctor",
  usage: "",
  summary: "check settings, database, migrations, mail, providers and files",
  input: NoInput,
  run: ({ config, driver }) => report(examine(config, () => driver)),
});
