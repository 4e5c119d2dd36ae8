// The socket on which a service takes commands for its embedded database.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CommandError, NoInput, operatorCommand } from "../../src/admin/commands/command.js";
import { serveCommands } from "../../src/admin/commands/commandSocket.js";
import { readConfig } from "../../src/config.js";
import type { Driver } from "../../src/db/driver.js";
import { testApp } from "../helpers/app.js";

const { app, db } = await testApp();

/** More than the system buffers for a connection. */
const LONG = "x".repeat(8 * 2 ** 20);
const failing = operatorCommand({
  name: "fail",
  usage: "",
  summary: "fails with a long line",
  input: NoInput,
  // biome-ignore lint/correctness/useYield: it fails before its first line
  run: async function* () {
    throw new CommandError(LONG);
  },
});

/** Serves one command that fails, and sends it; gives the server, and the socket once the beginning of the answer has arrived. */
async function sent(): Promise<{ server: Awaited<ReturnType<typeof serveCommands>>; socket: Socket }> {
  const dataDir = await mkdtemp(join(tmpdir(), "commands-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const config = readConfig({ DATA_DIR: dataDir });
  const driver = {} as Driver;
  const server = await serveCommands({ db, driver, config, log: app.log, commands: [failing] });
  const socket = connect(join(dataDir, "commands", "socket"));
  await once(socket, "connect");
  socket.write(`${JSON.stringify({ command: "fail", input: {} })}\n`);
  await once(socket, "readable");
  return { server, socket };
}

test("a sender that is gone before it has read the failure of its command does not harm the service", async () => {
  const { server, socket } = await sent();
  const stopped = server.stop(30_000);
  socket.destroy();
  await expect(stopped).resolves.toBeUndefined();
});
