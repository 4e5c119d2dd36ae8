// Three processes on one PostgreSQL behind one port (HAProxy), with and without PgBouncer in transaction mode between them:
// started at once on an empty database, one killed and one ended in order while clients write through the port.

import { spawn } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drill, freePort, type Run, readyAfter } from "./harness.js";
import { examine, startLoad } from "./load.js";
import { asAdmin, type Store } from "./stores.js";

const PROCESSES = 3;
/** The proxy's answer for a process that died with a request in hand. */
const BAD_GATEWAY = "502";

/** Runs a program that stays in the foreground until the end of the drill. */
function keepRunning(run: Run, program: string, args: string[]): void {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  run.onEnd(() => child.kill("SIGTERM"));
}

/** One port for several; a process that fails `/ready` twice in half a second is sent nothing. */
async function startProxy(run: Run, ports: number[]): Promise<string> {
  const port = await freePort();
  const file = join(await run.directory(), "haproxy.cfg");
  const servers = ports.map((to) => `  server p${to} 127.0.0.1:${to}`).join("\n");
  await writeFile(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 3
  retry-on conn-failure
frontend one
  bind 127.0.0.1:${port}
  default_backend services
backend services
  balance roundrobin
  option httpchk GET /ready
  default-server check inter 250ms fall 2 rise 1
${servers}
`,
  );
  keepRunning(run, "haproxy", ["-db", "-q", "-f", file]);
  const url = `http://127.0.0.1:${port}`;
  await readyAfter(url);
  return url;
}

/** The same database through PgBouncer; migrations go past it. */
async function throughBouncer(run: Run, store: Store): Promise<Store> {
  const direct = new URL(store.env.DATABASE_URL ?? "");
  const port = await freePort();
  const folder = await run.directory();
  await chmod(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  const name = direct.pathname.slice(1);
  await writeFile(
    file,
    `[databases]
${name} = host=${direct.hostname} port=${direct.port} dbname=${name} user=${direct.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
`,
  );
  keepRunning(run, "pgbouncer", ["-q", ...(process.getuid?.() === 0 ? ["-u", "postgres"] : []), file]);
  const pooled = new URL(direct);
  pooled.port = String(port);
  const env = { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: direct.href };
  return { ...store, name: "PgBouncer", env };
}

async function runMany(run: Run, store: Store): Promise<void> {
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort));
  const start = (port: number) => run.serve({ ...store.env, PORT: String(port) });
  const services = await Promise.all(ports.map(start));
  const url = await startProxy(run, ports);
  const load = await startLoad(run, url);
  const pauseMs = run.seconds({ long: 10, short: 1 });

  await sleep(pauseMs);
  const beforeKill = load.refused;
  services[0]?.signal("SIGKILL");
  await sleep(1000);
  services.unshift(await start(ports[0] ?? 0));
  await sleep(pauseMs);
  run.report(`${store.name}, calls that failed around a kill`, load.refused - beforeKill);

  const beforeRestarts = load.refused;
  for (const port of ports.slice(1)) {
    const leaving = services.findLast((service) => service.url.endsWith(`:${port}`));
    leaving?.signal("SIGTERM");
    run.none(`${store.name}, exit code of a process that was told to end`, (await leaving?.ended) ?? 1);
    services.unshift(await start(port));
    await sleep(pauseMs);
  }
  run.none(
    `${store.name}, calls that failed while two processes were restarted in order`,
    load.refused - beforeRestarts,
  );
  await load.stop();

  const migrations = await asAdmin(
    store.env.DATABASE_DIRECT_URL ?? store.env.DATABASE_URL ?? "",
    (admin) => admin<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`,
  );
  run.none(
    `${store.name}, migrations applied twice`,
    migrations.length - new Set(migrations.map(({ hash }) => hash)).size,
  );
  await examine(run, { store, load, services: services.reverse(), bearable: [BAD_GATEWAY] });
}

await drill("many", async (run) => {
  const server = await run.server();
  await runMany(run, await run.postgres(server));
  await runMany(run, await throughBouncer(run, await run.postgres(server)));
});
