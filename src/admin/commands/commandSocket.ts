// Runs commands in the service that has the embedded database open: over a socket in a directory that only its user may enter.
// A request is one line of JSON, and so is each message of its answer.

import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { type CommandContext, CommandError, type OperatorCommand } from "./command.js";
import { errorLineOf } from "./errorLines.js";

const Request = z.strictObject({ command: z.string(), input: z.unknown() });
const Message = z.union([
  z.strictObject({ line: z.string() }),
  z.strictObject({ failed: z.string() }),
  z.strictObject({ done: z.literal(true) }),
]);
type Message = z.output<typeof Message>;

/** The system takes no longer paths of sockets. */
const PATH_MAX_BYTES = 103;
const DIRECTORY = "commands";
/** The time that a command waits for the reader of its lines. */
const STALLED_MS = 30_000;

/** The path of a data directory's socket: the shorter of the absolute and the relative path; null if both are too long. */
function socketOf(dataDir: string): string | null {
  const absolute = join(resolve(dataDir), DIRECTORY, "socket");
  const paths = [absolute, relative(process.cwd(), absolute)];
  return paths.find((path) => Buffer.byteLength(path) <= PATH_MAX_BYTES) ?? null;
}

/** A service that takes commands. */
interface CommandServer {
  /** Takes no more commands, and lets those that run end, for at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

interface ServerParts extends Omit<CommandContext, "ending"> {
  commands: readonly OperatorCommand[];
  log: FastifyBaseLogger;
}

async function answer({ commands, log, ...context }: ServerParts, socket: Socket): Promise<void> {
  const left = new AbortController();
  socket.once("close", () => left.abort(new CommandError("The sender of the command is gone")));
  const ending = left.signal;
  /** Waits while the other side does not read, but not for ever: a backup holds the embedded database. */
  const send = async (message: Message) => {
    ending.throwIfAborted();
    if (socket.write(`${JSON.stringify(message)}\n`)) return;
    const stalled = setTimeout(() => socket.destroy(), STALLED_MS);
    await once(socket, "drain", { signal: ending }).finally(() => clearTimeout(stalled));
  };
  for await (const line of createInterface({ input: socket })) {
    try {
      const request = Request.parse(JSON.parse(line));
      const command = commands.find(({ name }) => name === request.command);
      if (command === undefined) throw new CommandError("The service is of another version and has no such command");
      log.info({ command: command.name }, "runs a command");
      for await (const printed of command.run({ ...context, ending }, request.input)) await send({ line: printed });
      await send({ done: true });
    } catch (error) {
      if (ending.aborted) break;
      const line = errorLineOf(error);
      if (line === null) log.error({ err: error }, "a command failed");
      await send({ failed: line ?? "The command failed; the log of the service has the reason" });
    }
    break;
  }
  socket.end();
}

async function listen(server: Server, dataDir: string): Promise<void> {
  const path = socketOf(dataDir);
  if (path === null) throw new CommandError("The path of DATA_DIR is too long for a socket");
  const directory = join(resolve(dataDir), DIRECTORY);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Also where the directory was there with other rights.
  await chmod(directory, 0o700);
  // Left by a process that was killed: only the holder of the lock of DATA_DIR gets here.
  await rm(path, { force: true });
  await new Promise<void>((done, failed) => server.once("error", failed).listen(path, done));
}

/** Takes commands for the embedded database that this process has open. Without a socket the service runs as well. */
export async function serveCommands(parts: ServerParts): Promise<CommandServer> {
  const running = new Set<Promise<unknown>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // The sender of a command may leave before its end.
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    // Failures of commands are answered: this one is of the connection, whose sender is gone.
    const answered = answer(parts, socket)
      .catch(() => socket.destroy())
      .finally(() => running.delete(answered));
    running.add(answered);
  });
  try {
    await listen(server, parts.config.dataDir);
  } catch (error) {
    parts.log.warn({ err: error }, "commands cannot reach this process");
  }
  return {
    stop: async (graceMs) => {
      server.close();
      const limit = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: limit.signal }).catch(() => {});
      await Promise.race([Promise.all(running), grace]);
      limit.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((done, failed) => {
    const socket = connect(path);
    socket.once("connect", () => done(socket));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "ECONNREFUSED" ? done(null) : failed(error),
    );
  });
}

async function* linesOf(socket: Socket): AsyncGenerator<string> {
  try {
    for await (const text of createInterface({ input: socket })) {
      const message = Message.parse(JSON.parse(text));
      if ("done" in message) return;
      if ("failed" in message) throw new CommandError(message.failed);
      yield message.line;
    }
  } finally {
    // The service gives up what nobody reads to its end.
    socket.destroy();
  }
  throw new CommandError("The service ended before the command did: check whether it took effect");
}

/** Runs a command in the service that has a data directory open, and gives its lines; null where no service listens there. */
export async function runInService(
  dataDir: string,
  { name }: Pick<OperatorCommand, "name">,
  input: unknown,
): Promise<AsyncIterable<string> | null> {
  const path = socketOf(dataDir);
  const socket = path === null ? null : await connected(path);
  if (socket === null) return null;
  socket.write(`${JSON.stringify({ command: name, input })}\n`);
  return linesOf(socket);
}
