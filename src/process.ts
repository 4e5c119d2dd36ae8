// The process of the service: settings, database, application, listening, and an end in order.

import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { serveCommands } from "./admin/commands/commandSocket.js";
import { SERVICE_COMMANDS } from "./admin/commands/index.js";
import { createLogger } from "./api/logs.js";
import { buildApp } from "./app.js";
import { type Config, ConfigError, misspelledSettings, readConfig } from "./config.js";
import { DatabaseWait } from "./databaseWait.js";
import { type Database, openDatabase } from "./db/client.js";
import { DistributionError } from "./db/distribution.js";
import type { Driver } from "./db/driver.js";
import { createDatabase, isWithoutDatabase } from "./db/embedded/creation.js";
import type { DiskState } from "./db/embedded/disk.js";
import { DataDirError, openEmbedded } from "./db/embedded.js";
import { codes, isConnectionError, reasonOf } from "./db/failures.js";
import { migrate, VersionError } from "./db/migrate.js";
import { TlsSettingError } from "./db/postgres/tls.js";
import { openDistributed, openPostgres } from "./db/postgres.js";
import { readsOn } from "./db/replicas.js";
import { openSender } from "./mail/smtp.js";
import { startMailing } from "./mail/worker.js";
import { notificationComposer } from "./notification/mailing.js";
import { REMINDER_TIMES, SWEEP_TIMES, startReminding, startSweeping } from "./sweeper.js";
import { resolver } from "./webhook/addresses.js";
import { startDelivering } from "./webhook/worker.js";

/** Browsers warn nobody who types a password at an address of the local network. */
const PLAIN_HTTP =
  "The service speaks plain HTTP: others in the network can read passwords on their way, unless a proxy with HTTPS stands in front.\n";

const STATEMENT_TIMEOUT_MS = 30_000;
/** The time for load balancers to see `/ready` fail before new calls are refused: two checks, half a second apart. */
const LEAVING_MS = 1000;
/** The time that requests in flight have to end: less than the 10 s after which containers are killed. */
const DRAIN_LIMIT_MS = 9_000;
const IDLE_CHECK_MS = 50;
/** The time that deliveries in flight, and a batch of a sweep, have to end. */
const WORKERS_LIMIT_MS = 7_000;
/** A queue is read each second: after this long without a success its worker counts as stopped. */
const QUEUE_LIMIT_MS = 60_000;
const REPLICA_ACQUIRE_TIMEOUT_MS = 1000;

/** Checks that HOST and PORT are free before anything is made that outlives the process. Throws as listening does. */
async function mustBeFree({ port, host }: Config): Promise<void> {
  const server = createServer().listen({ port, host });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

/** Logs what becomes of the disk of an embedded database. */
function reportDisk(log: Logger, state: DiskState): void {
  if (state === "gone") log.error("calls are refused: the directory of the database is gone");
  else if (state === "low") log.warn("changes are refused: the disk of DATA_DIR has less than 64 MiB free");
  else log.info("changes are accepted again: the disk of DATA_DIR has space");
}

async function openDriver(config: Config, log: Logger, wait: DatabaseWait): Promise<Driver> {
  if (config.databaseUrl === undefined) {
    if (isWithoutDatabase(config.dataDir)) {
      process.stdout.write(`Creating a database in ${config.dataDir}. This takes a few seconds, once.\n${PLAIN_HTTP}`);
      await createDatabase(config.dataDir);
    }
    const onFailure = (failure: Error) =>
      endOn(log, failure, "stopped because the database failed; the next start recovers it");
    return openEmbedded({ dataDir: config.dataDir, onFailure, onDisk: (state) => reportDisk(log, state) });
  }
  const open = config.databaseDistributed ? openDistributed : openPostgres;
  return open({
    url: config.databaseUrl,
    ...(config.databaseDirectUrl !== undefined && { directUrl: config.databaseDirectUrl }),
    poolSize: config.databasePoolSize,
    prepare: config.databasePrepare,
    isDistributed: config.databaseDistributed,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onWarning: (message, error) => wait.warn(message, error),
    onOutage: wait,
  });
}

/** The replicas. They get less time than the primary, which replaces them when they fail. */
function openReplicas(config: Config, log: Logger): Database[] {
  return config.databaseReplicaUrls.map((url) =>
    openDatabase(
      openPostgres({
        url,
        poolSize: config.databasePoolSize,
        prepare: config.databasePrepare,
        isDistributed: config.databaseDistributed,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        acquireTimeoutMs: REPLICA_ACQUIRE_TIMEOUT_MS,
        onWarning: (message, error) => log.warn({ err: error, replica: true }, message),
      }),
    ),
  );
}

/** The addresses under which others in the network reach a service that listens on every interface. */
function networkAddresses({ host }: Config, address: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const others = interfaces.filter(({ family, internal }) => family === "IPv4" && !internal);
  return others.map((other) => `http://${other.address}:${new URL(address).port}`);
}

/** The lines a newcomer needs: the addresses of the page and the docs, and a call that gets the first token. */
function welcome(config: Config, address: string): string {
  const { databaseUrl, dataDir, signUp, web, appUrl } = config;
  const database = databaseUrl === undefined ? `embedded, in ${dataDir}` : "PostgreSQL";
  const isOpen = signUp === "open";
  const [call, name] = isOpen ? ["sign-up", '"name":"Ada",'] : ["sign-in", ""];
  const pages = web ? [address, ...networkAddresses(config, address)] : [];
  const page = pages.map(
    (url, index) => `  ${index === 0 ? "open in a browser    " : "in your network      "} ${url}\n`,
  );
  const warnings = [
    ...(web || appUrl !== null
      ? []
      : ["WEB is off and APP_URL is not set: links in mail and of invitations lead nowhere"]),
    ...misspelledSettings(),
  ].map((line) => `  ${line}\n`);
  return `
${page.join("")}  work-board listens on ${address}   (database: ${database})
  docs                  ${address}/docs
${warnings.join("")}
  ${isOpen ? "get a first token (once; later, call /auth/sign-in without the name)" : "get a token"}:

    curl -s ${address}/api/v1/auth/${call} --json '{${name}"email":"ada@example.org","password":"correct horse battery"}'

  send it with every request:   -H 'Authorization: Bearer <accessToken>'
`;
}

/** A task that runs beside the requests, and ends within a time. */
interface Worker {
  stop(graceMs: number): Promise<void>;
}

/** The parts of a process, which end in order. */
interface Running {
  app: FastifyInstance;
  workers: Worker[];
  databases: Pick<Database, "close">[];
  log: Logger;
}

/** Ends the process in order on a signal; a second signal changes nothing. Exit code 1 when requests were cut off. */
function drainOn(signals: NodeJS.Signals[], { app, workers, databases, log }: Running): void {
  let ending = false;
  const end = async (signal: NodeJS.Signals) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, "shutting down");
    app.phase = "leaving";
    const stopped = Promise.all(workers.map((worker) => worker.stop(WORKERS_LIMIT_MS)));
    setTimeout(() => {
      log.error("stopped while requests were still running, because they took too long");
      process.exit(1);
    }, DRAIN_LIMIT_MS).unref();
    await sleep(LEAVING_MS);
    log.info("refusing new calls");
    app.phase = "draining";
    // Node closes what is idle now; what is busy would be kept alive after its answer, and the server with it.
    setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS).unref();
    await app.close();
    await stopped;
    await Promise.all(databases.map((database) => database.close()));
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, end);
}

/** Logs an error that the process cannot continue from, and ends, so that a supervisor restarts it. */
function endOn(log: Logger, error: Error, message: string): void {
  log.fatal({ err: error }, message);
  process.exit(1);
}

/** After an error that nobody caught the state is unknown. */
function endOnDefect(log: Logger): void {
  // Rejections that nobody handles arrive here too.
  process.on("uncaughtException", (error) => endOn(log, error, "stopped by an uncaught error"));
}

async function start(): Promise<void> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const wait = new DatabaseWait(log);
  await mustBeFree(config);
  const driver = await openDriver(config, log, wait);
  const db = openDatabase(driver);
  const replicas = openReplicas(config, log);
  const replica = readsOn(db, replicas, (message, error) => log.warn({ err: error, replica: true }, message));
  const app = await buildApp({ config, db, replica, log });
  endOnDefect(log);
  const workers: Worker[] = [];
  drainOn(["SIGTERM", "SIGINT"], { app, workers, databases: [db, ...replicas], log });
  const address = await app.listen({ port: config.port, host: config.host, listenTextResolver: () => "listening" });
  await migrate(driver);
  wait.over();
  app.phase = "ready";
  const outside = { resolve: resolver(config.webhookAllowPrivate), allowPrivate: config.webhookAllowPrivate };
  const registry = app.figures;
  const stopsAfter = (name: string, limitMs: number) => ({ onSuccess: app.workers.add(name, limitMs) });
  workers.push(
    startDelivering({ db, log, outside, registry, ...stopsAfter("webhooks", QUEUE_LIMIT_MS) }),
    startSweeping({ db, log, retention: config.retentionDays, ...stopsAfter("sweeps", 3 * SWEEP_TIMES.everyMs) }),
    startReminding({ db, log, config, ...stopsAfter("reminders", 3 * REMINDER_TIMES.everyMs) }),
  );
  if (config.mail !== null) {
    const composeNotifications = notificationComposer(db, config);
    const parts = { db, log, config, sender: openSender(config.mail), composeNotifications, registry };
    workers.push(startMailing({ ...parts, ...stopsAfter("mail", QUEUE_LIMIT_MS) }));
  }
  if (config.databaseUrl === undefined)
    workers.push(await serveCommands({ db, driver, config, log, commands: SERVICE_COMMANDS }));
  process.stdout.write(welcome(config, address.replace("[::1]", "localhost")));
}

/** The reason why the service did not start, in one line, or a line per wrong setting; a defect of ours with its stack. */
function startupErrorText(error: unknown): string {
  const worded = [ConfigError, DataDirError, DistributionError, TlsSettingError, VersionError];
  if (error instanceof Error && worded.some((kind) => error instanceof kind)) return error.message;
  if (!(error instanceof Error)) return `work-board could not start: ${String(error)}`;
  const isListening = "syscall" in error && (error.syscall === "listen" || error.syscall === "getaddrinfo");
  if (isListening) return `work-board cannot listen on HOST and PORT: ${reasonOf(error)}`;
  if (isConnectionError(error)) return `work-board cannot reach its database: ${reasonOf(error)}`;
  if (codes(error).length > 0) return `work-board could not start: ${reasonOf(error)}`;
  return `work-board could not start: ${error.stack}`;
}

start().catch((error: unknown) => {
  process.stderr.write(`${startupErrorText(error)}\n`);
  process.exit(1);
});
