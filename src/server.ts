// Starts the service: settings, database, application, listening; and ends it in order.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createLogger } from "./api/logs.js";
import { buildApp } from "./app.js";
import { type Config, ConfigError, readConfig } from "./config.js";
import { openDatabase } from "./db/client.js";
import type { Driver } from "./db/driver.js";
import { DataDirInUseError, openEmbedded } from "./db/embedded.js";
import { migrate } from "./db/migrate.js";
import { openPostgres } from "./db/postgres.js";

const STATEMENT_TIMEOUT_MS = 30_000;
/** How long load balancers get to see `/ready` fail before connections are closed. */
const DRAIN_NOTICE_MS = 250;
/** How long requests in flight get to end. */
const DRAIN_LIMIT_MS = 9_000;

async function openDriver(config: Config, log: Logger): Promise<Driver> {
  if (config.databaseUrl === undefined) return openEmbedded({ dataDir: config.dataDir });
  return openPostgres({
    url: config.databaseUrl,
    ...(config.databaseDirectUrl !== undefined && { directUrl: config.databaseDirectUrl }),
    poolSize: config.databasePoolSize,
    prepare: config.databasePrepare,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onWarning: (message, error) => log.warn({ err: error }, message),
  });
}

/** The lines a newcomer needs: where the service is, where its docs are, and how to get the first token. */
function welcome(config: Config, address: string): string {
  const database = config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : "PostgreSQL";
  return `
  work-board listens on ${address}   (database: ${database})
  docs                  ${address}/docs

  the first token:

    curl -s ${address}/api/v1/auth/sign-up --json '{"name":"Ada","email":"ada@example.org","password":"correct horse battery"}'

  then send it with every request:   -H 'Authorization: Bearer <accessToken>'
`;
}

function drainOn(signals: NodeJS.Signals[], app: FastifyInstance, driver: Driver, log: Logger): void {
  let ending = false;
  const end = async (signal: NodeJS.Signals) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, "draining");
    app.phase = "draining";
    setTimeout(() => {
      log.error("requests were still running at the end of the drain");
      process.exit(1);
    }, DRAIN_LIMIT_MS).unref();
    await sleep(DRAIN_NOTICE_MS);
    await app.close();
    await driver.close();
    log.info("ended");
  };
  for (const signal of signals) process.on(signal, end);
}

async function start(): Promise<void> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const driver = await openDriver(config, log);
  const app = await buildApp({ config, db: openDatabase(driver), log });
  drainOn(["SIGTERM", "SIGINT"], app, driver, log);
  const address = await app.listen({ port: config.port, host: config.host, listenTextResolver: () => "listening" });
  await migrate(driver);
  app.phase = "ready";
  process.stdout.write(welcome(config, address.replace("[::1]", "localhost")));
}

start().catch((error: unknown) => {
  if (error instanceof ConfigError || error instanceof DataDirInUseError) {
    process.stderr.write(`${error.message}\n`);
  } else {
    process.stderr.write(`work-board could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(1);
});
