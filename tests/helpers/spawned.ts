// The service as a process of its own, started as an operator does. Knows nothing of the test runner: drills use it too.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Environment = Record<string, string>;

/** What an operator starts, as it was built. */
export const SERVER = "dist/server.js";
export const COMMAND_LINE = "dist/cli/main.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Process {
  pid: number;
  output: { stdout: string; stderr: string };
  /** Resolves once standard output holds the text; throws when the process ends first. */
  printed(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Stops reading standard output, which then fills, until it is called with false. */
  leaveUnread(isUnread: boolean): void;
  /** The exit code, null after a signal that killed it. */
  ended: Promise<number | null>;
}

export interface Service extends Process {
  /** Without a slash at the end. */
  url: string;
}

/** Runs node with these arguments and variables and no others; limits are off and the port is any free one unless they say otherwise. */
export function spawnNode(args: string[], env: Environment): Process {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: "0", RATE_LIMIT_PER_MINUTE: "0", AUTH_RATE_LIMIT_PER_MINUTE: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    signal: (name) => void child.kill(name),
    leaveUnread: (isUnread) => void (isUnread ? child.stdout.pause() : child.stdout.resume()),
    printed: async (text) => {
      const end = ended.then(() => "ended" as const);
      while (!output.stdout.includes(text)) {
        if ((await Promise.race([once(child.stdout, "data"), end])) === "ended") break;
      }
      if (!output.stdout.includes(text)) throw new Error(`the process ended first:\n${output.stdout}${output.stderr}`);
    },
  };
}

export async function serving(started: Process): Promise<Service> {
  await started.printed("Authorization: Bearer");
  const url = /listens on (\S+)/.exec(started.output.stdout)?.[1] ?? "";
  return { ...started, url };
}
