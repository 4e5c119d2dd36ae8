// `npm run demo`: starts the service as `npm start` does, fills it with a workspace that is good to look at, says how to look at it,
// and serves on. `npm run demo -- http://localhost:3000` fills a service that runs already.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WorkBoardError } from "../../packages/client/src/client.js";
import { PASSWORD, PEOPLE, WORKSPACE } from "./content.js";
import { type Demo, DemoError, fillDemo } from "./fill.js";

/** Starts the service with this process's settings and gives its address; this process ends when the service does. */
async function started(): Promise<{ url: string; end: () => void }> {
  const script = fileURLToPath(new URL("../../dist/server.js", import.meta.url));
  const child = spawn(process.execPath, [script], {
    // Without a line for each of the demo's own calls.
    env: { LOG_LEVEL: "warn", ...process.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code || process.exitCode || 0));
  const url = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      const address = /work-board listens on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
      else if (line.startsWith("{")) process.stdout.write(`${line}\n`);
    });
  });
  return { url, end: () => child.kill("SIGTERM") };
}

const summaryOf = (url: string, { token, workspacePublicId, boardPublicId, isNew }: Demo) => `
  ${WORKSPACE.name} ${isNew ? "is ready" : "already exists and was not changed"}: a team of four, three boards, a meeting

  board    ${url}/boards/${boardPublicId}
  sign in  ${PEOPLE.mara.email}, password: ${PASSWORD}

  docs     ${url}/docs   (Authorize with the token, then try any operation)
  token    ${token}

  read the board over REST:

    curl -s ${url}/api/v1/boards/${boardPublicId} -H 'Authorization: Bearer ${token}'

  see what is due this month:

    curl -s ${url}/api/v1/workspaces/${workspacePublicId}/calendar -H 'Authorization: Bearer ${token}'

`;

/** Why the demo cannot be created, in one line; a defect with its stack. */
function complaint(error: unknown, url: string): string {
  if (error instanceof WorkBoardError && error.code === null) return `no service responds at ${url}`;
  if (error instanceof WorkBoardError || error instanceof DemoError) return error.message;
  return error instanceof Error ? `${error.stack}` : String(error);
}

const [given] = process.argv.slice(2);
const { url, end } = given === undefined ? await started() : { url: given.replace(/\/+$/, ""), end: () => {} };
try {
  process.stdout.write(summaryOf(url, await fillDemo(url)));
  if (given === undefined) process.stdout.write("  press Ctrl-C to stop the service\n\n");
} catch (error) {
  process.stderr.write(`work-board cannot create the demo: ${complaint(error, url)}\n`);
  process.exitCode = 1;
  end();
}
