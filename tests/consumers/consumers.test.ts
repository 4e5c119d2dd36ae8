// Those who build on the service, each from a clean folder against the built package: a shell with curl, a program with a generated
// client, and browsers. What they run is what the pages in docs/ show.
// @module-tag slow

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { chromiumPath, NO_BROWSER, openContext } from "../helpers/browser.js";
import { call, newStore, serve } from "../helpers/processes.js";
import { curlSession, expectPrinted, generatedClient, webhookSession } from "./guides.js";
import { addPackages, installedService, newFolder, ROOT, run, tsc } from "./packing.js";
import { strict } from "./projects.js";
import { tryOut } from "./swaggerUi.js";

const COMPILING_TIMEOUT_MS = 180_000;
const BROWSING_TIMEOUT_MS = 180_000;
const hasCurl = (() => {
  try {
    return execFileSync("curl", ["--help", "all"], { encoding: "utf8" }).includes("--json");
  } catch {
    return false;
  }
})();
const NO_CURL = hasCurl ? "" : " (left out: no curl that knows --json)";

const project = await installedService();
await addPackages(project, "openapi-fetch");
const { url } = await serve(
  { ...(await newStore()).env, WEBHOOK_ALLOW_PRIVATE: "true" },
  { script: join(project.installed, "bin/work-board.cjs"), until: afterAll },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function newcomer(name: string) {
  const account = { name, email: `${name.toLowerCase()}@example.org`, password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const workspace = (await call(url, token, "POST", "/workspaces", { name: `Engines of ${name}` })).body;
  const notes = { name: "Notes", lists: ["Ideas"] };
  const board = (await call(url, token, "POST", `/workspaces/${workspace.publicId}/boards`, notes)).body;
  const list = (await call(url, token, "POST", "/lists", { name: "Done", boardPublicId: board.publicId })).body;
  const card = { title: "Write the first program", listPublicId: list.publicId };
  await call(url, token, "POST", "/cards", card);
  return { token, as: (program: string) => program.replaceAll("ada@example.org", account.email) };
}

const write = (name: string, text: string) => writeFile(join(project.folder, name), text);
const writeConfig = (name: string, config: object) => write(name, JSON.stringify(config));

test(
  "a client that openapi-typescript generates compiles strictly, and the guide's program runs on it",
  async () => {
    const mary = await newcomer("Mary");
    const { command, program } = generatedClient(url);
    expect(command.trim()).toBe(`npx openapi-typescript ${url}/openapi.json -o api.ts`);
    const [, name = "", ...args] = command.trim().split(" ");
    await run(project.folder, process.execPath, [join(ROOT, "node_modules", name, "bin/cli.js"), ...args]);
    await write("generated.ts", mary.as(program));
    await writeConfig("generated.json", strict("node16", "generated.ts", "api.ts"));
    await tsc(project.folder, "-p", "generated.json");
    const printed = await run(project.folder, process.execPath, ["out/generated.js"]);
    expectPrinted(printed, program.replace("'Engines'", "'Engines of Mary'"));
  },
  COMPILING_TIMEOUT_MS,
);

/** An answer without the identifiers that differ in every run. */
const comparable = (text: string): unknown =>
  JSON.parse(text, (key, value) => (/publicId$/i.test(key) && typeof value === "string" ? "identifier" : value));

const answersIn = (output: string) =>
  output
    .split(/\n|(?<=\})(?=\{)/)
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .flatMap((line) => {
      try {
        return [comparable(line)];
      } catch {
        return [];
      }
    });

describe.skipIf(!hasCurl)(`the guides read from top to bottom${NO_CURL}`, () => {
  test(
    "the session answers what is shown, the webhook arrives, the program prints what it says, and no file is left",
    async () => {
      const clone = await newFolder();
      for (const name of ["tests", "node_modules"]) await symlink(join(ROOT, name), join(clone, name));
      // No link: the receiver runs only where its file is what was started.
      await cp(join(ROOT, "examples"), join(clone, "examples"), { recursive: true });
      const temporary = await newFolder();
      const before = await readdir(clone);
      const { script, answers } = curlSession(url);
      expect(answers.length).toBeGreaterThan(0);
      const received = 'for _ in $(seq 100); do [ -s "$RECEIVED" ] && break; sleep 0.1; done; kill $!';
      const RECEIVED = join(await newFolder(), "received");
      const PORT = String(await freePort());
      const webhook = webhookSession(url).replaceAll(":4000/", `:${PORT}/`).replace(".ts &", '.ts > "$RECEIVED" &');
      const commands = [script, webhook, received].join("\n");
      const output = await run(clone, "bash", ["--norc", "-euo", "pipefail", "-c", commands], {
        RECEIVED,
        PORT,
        TMPDIR: temporary,
      });
      for (const answer of answers) {
        if (answer.startsWith("{")) expect(answersIn(output)).toContainEqual(comparable(answer));
        else expect(output.split(/\n|(?<=\})/)).toContain(answer.trim());
      }
      expect(await readFile(RECEIVED, "utf8")).toMatch(/^webhook\.test\n/);
      expect(await readdir(clone)).toEqual(before);
      // But for the cache of tsx, which runs the receiver.
      expect((await readdir(temporary)).filter((name) => !name.startsWith("tsx-"))).toEqual([]);

      const { program } = generatedClient(url);
      await write("generatedAgain.ts", program);
      await writeConfig("generatedAgain.json", strict("node16", "generatedAgain.ts"));
      await tsc(project.folder, "-p", "generatedAgain.json", "--noCheck");
      expectPrinted(await run(project.folder, process.execPath, ["out/generatedAgain.js"]), program);
    },
    COMPILING_TIMEOUT_MS,
  );
});

describe.skipIf(chromiumPath === undefined)(`Swagger UI in a browser${NO_BROWSER}`, () => {
  test(
    "takes a token, creates a workspace, reads it back, shows a refusal; nothing is blocked or comes from elsewhere",
    async () => {
      const { token } = await newcomer("Lise");
      const seen = await tryOut(await openContext({ viewport: { width: 1280, height: 900 } }), url, token);
      expect(seen).toEqual({
        created: expect.objectContaining({ name: "Engines", role: "admin" }),
        read: seen.created,
        refused: expect.objectContaining({ code: "BAD_REQUEST", message: "Invalid input data" }),
        groups: expect.arrayContaining(["Accounts", "Workspaces", "Boards"]),
        isStillAuthorised: true,
        shownAtFirst: 0,
        filtered: {
          COMMENTS: { groups: ["Comments"], operations: expect.arrayContaining(["List comments"]) },
          "/invites/accept": { groups: ["Members"], operations: ["Accept an invite link"] },
          "sign IN": { groups: ["Accounts"], operations: ["Get the ways to sign in", "Sign in"] },
        },
        troubles: [],
      });
      expect(seen.groups.slice(0, 4)).toEqual(["Accounts", "Single sign-on", "Workspaces", "Boards"]);
    },
    BROWSING_TIMEOUT_MS,
  );
});
