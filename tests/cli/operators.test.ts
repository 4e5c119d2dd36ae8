// The commands of the operator: run in the service that has the embedded database open, or on the database itself.
//
// @module-tag slow

import { chmod, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { UsageError } from "../../src/admin/commands/command.js";
import { OPERATOR_COMMANDS } from "../../src/admin/commands/index.js";
import { unique } from "../helpers/app.js";
import { isOnCitus } from "../helpers/databases.js";
import { startIssuer } from "../helpers/issuer.js";
import { call, newStore, type Service, type Store, serve } from "../helpers/processes.js";
import { COMMAND_LINE, spawnNode } from "../helpers/spawned.js";
import { mailServer } from "../mail/mailServer.js";

const issuer = await startIssuer();
const PASSWORD = "correct horse battery";

async function command(store: Store, ...args: string[]) {
  const started = spawnNode([COMMAND_LINE, ...args], store.env);
  onTestFinished(() => started.signal("SIGKILL"));
  const code = await started.ended;
  return { code, ...started.output };
}

const succeeded = (stdout: string | RegExp) => ({
  code: 0,
  stdout: typeof stdout === "string" ? `${stdout}\n` : expect.stringMatching(stdout),
  stderr: "",
});
const failed = (code: number, stderr: RegExp) => ({ code, stdout: "", stderr: expect.stringMatching(stderr) });

const newEmail = () => `${unique("person").replace(" ", ".")}@example.org`;

const signUp = async ({ url }: Service, email: string) =>
  (await call(url, null, "POST", "/auth/sign-up", { name: "Ada \u001b[31mLovelace", email, password: PASSWORD })).body;

describe("while the service runs", () => {
  let store: Store;
  let service: Service;
  beforeAll(async () => {
    store = await newStore();
    if (store.env.DATA_DIR !== undefined) {
      // Whatever rights the directory was left with.
      await mkdir(join(store.env.DATA_DIR, "commands"), { recursive: true });
      await chmod(join(store.env.DATA_DIR, "commands"), 0o755);
    }
    service = await serve(store.env, { until: () => {} });
    return () => service.signal("SIGKILL");
  });

  test("accounts are listed, and a disabled one is out at once", async () => {
    const email = newEmail();
    const { accessToken } = await signUp(service, email);
    const me = async () => (await call(service.url, accessToken, "GET", "/users/me")).status;
    expect(await me()).toBe(200);

    const listed = await command(store, "user", "list", "--search", email.toUpperCase());
    expect(listed).toEqual(
      succeeded(/^\S+ {2}active {2}seen \d{4}-\d\d-\d\d {2}0 workspaces {2}Ada {2}\[31mLovelace\n$/),
    );
    expect(await command(store, "user", "disable", email)).toEqual(succeeded(`${email} is disabled`));
    expect(await me()).toBe(401);
    const signIn = () => call(service.url, null, "POST", "/auth/sign-in", { email, password: PASSWORD });
    expect((await signIn()).status).toBe(401);
  });

  test("what cannot be done is reported in one line", async () => {
    expect(await command(store, "user", "disable", "nobody@example.org")).toEqual(
      failed(1, /^work-board: No account has this email address\n$/),
    );
  });

  test("an account that is made gets in by the printed link, and may be made the admin of a workspace", async () => {
    const owner = newEmail();
    const { accessToken } = await signUp(service, owner);
    const made = await call(service.url, accessToken, "POST", "/workspaces", { name: "Acme" });
    expect(await command(store, "user", "list", "--search", owner)).toEqual(succeeded(/ {2}1 workspace {2}/));
    const email = newEmail();
    const { stdout } = await command(store, "user", "create", email, "--name", "Grace Hopper");
    const token = /#token=(\S+)\n/.exec(stdout)?.[1];
    await call(service.url, null, "POST", "/auth/password-reset/confirm", { token, password: PASSWORD });
    const signedIn = await call(service.url, null, "POST", "/auth/sign-in", { email, password: PASSWORD });
    expect(signedIn.body).toMatchObject({ user: { name: "Grace Hopper", email } });

    const { publicId } = made.body;
    expect(await command(store, "workspace", "list")).toEqual(
      succeeded(new RegExp(`^${publicId} {2}made \\S+ {2}1 member {2}1 admin {2}Acme$`, "m")),
    );
    expect(await command(store, "workspace", "grant-admin", publicId, email)).toEqual(
      succeeded(`${email} is an admin of the workspace ${publicId}`),
    );
  });

  test("an account is deleted, unless a workspace with other members would be left without an admin", async () => {
    const [email, successor] = [newEmail(), newEmail()];
    const { accessToken } = await signUp(service, email);
    const { accessToken: other } = await signUp(service, successor);
    const { publicId } = (await call(service.url, accessToken, "POST", "/workspaces", { name: "Acme" })).body;
    const { inviteCode } = (await call(service.url, accessToken, "POST", `/workspaces/${publicId}/invites`)).body;
    expect((await call(service.url, other, "POST", "/invites/accept", { inviteCode })).status).toBe(200);

    expect(await command(store, "user", "delete", email)).toEqual(
      failed(1, new RegExp(`^work-board: [^\\n]+: "Acme" \\(${publicId}\\)\\n$`)),
    );
    expect((await command(store, "workspace", "grant-admin", publicId, successor)).code).toBe(0);
    expect(await command(store, "user", "delete", email)).toEqual(succeeded(`${email} is deleted`));
    expect((await call(service.url, accessToken, "GET", "/users/me")).status).toBe(401);
    expect((await call(service.url, other, "GET", `/workspaces/${publicId}`)).status).toBe(200);
  });

  test("doctor finds everything in order", async () => {
    const { code, stdout } = await command(store, "doctor");
    expect(stdout).toMatch(/^(?:ok {6}.+\n){6}$/);
    expect(code).toBe(0);
  });

  test("the directory of the socket is its user's alone", async () => {
    const { DATA_DIR } = store.env;
    if (DATA_DIR === undefined) return;
    expect((await stat(join(DATA_DIR, "commands"))).mode & 0o777).toBe(0o700);
  });
});

test("a command opens the database itself where no service runs", async () => {
  const store = await newStore();
  const email = newEmail();
  const db = await store.open();
  await db.rows(sql`insert into account (public_id, name, email) values ('abcdefghijkl', 'Ada', ${email}::text)`);
  await db.close();
  expect(await command(store, "admin", "grant", email)).toEqual(succeeded(`${email} is an instance admin`));

  const { url, arrived } = await mailServer();
  const mailing: Store = { ...store, env: { ...store.env, MAIL_URL: url, MAIL_FROM: "board@example.org" } };
  expect(await command(mailing, "mail", "test", email)).toEqual(succeeded(`The mail server took a mail to ${email}`));
  const refusing: Store = { ...mailing, env: { ...mailing.env, MAIL_URL: "smtp://127.0.0.1:9" } };
  expect(await command(refusing, "mail", "test", email)).toEqual(
    failed(1, /^work-board: The connection to the mail server failed\n$/),
  );
  expect(arrived).toMatchObject([{ recipient: email, subject: "Test mail of work-board" }]);
  expect(await command(mailing, "doctor")).toEqual(succeeded(/^ok {6}mail {14}the mail server lets the service in$/m));
});

test("doctor tells what is wrong where settings, database, mail server and provider are, and ends with exit code 1", async () => {
  const settings = { env: { PORT: "many", METRICS: "yes" }, open: () => Promise.reject(new Error()) };
  expect(await command(settings, "doctor")).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^failed {2}settings {10}PORT [^\n]+\nfailed {2}settings {10}METRICS [^\n]+\n$/),
    stderr: "work-board: 2 checks failed\n",
  });
  expect(await command(settings, "user", "list")).toEqual(
    failed(1, /^work-board: PORT [^\n]+\nwork-board: METRICS [^\n]+\n$/),
  );
  const provider = {
    id: "example",
    name: "Example",
    issuer: "http://127.0.0.1:9",
    clientId: "id",
    clientSecret: "secret",
  };
  const unreachable = {
    env: {
      DATABASE_URL: "postgres://127.0.0.1:9/nothing",
      MAIL_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "board@example.org",
      OIDC_PROVIDERS: JSON.stringify([{ ...provider, redirectUris: ["http://127.0.0.1/back"] }]),
      CORS_ORIGINS: "https://app.example.org",
    },
    open: () => Promise.reject(new Error()),
  };
  const { code, stdout, stderr } = await command(unreachable, "doctor");
  expect(stdout.match(/^failed {2}(?:database|migrations|second factors|mail|provider example) .+$/gm)).toHaveLength(5);
  expect(stdout.match(/^ok /gm)).toHaveLength(2);
  expect(stdout).toMatch(/^ok {6}settings {10}can be read\. CORS_ORIGINS is not a setting .+ CORS_ORIGIN\?$/m);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "work-board: 5 checks failed\n" });
});

test("doctor says whether each provider may send people back to the page", async () => {
  const { env, open } = await newStore();
  const doctor = async (redirectUri: string, more: NodeJS.ProcessEnv = {}) => {
    const OIDC_PROVIDERS = JSON.stringify([{ ...issuer.provider(), redirectUris: [redirectUri] }]);
    const settings = { ...env, PUBLIC_URL: "https://board.example.org", OIDC_PROVIDERS, ...more };
    const { stdout } = await command({ env: settings, open }, "doctor");
    return /^\w+ +provider example +(.+)$/m.exec(stdout)?.[1];
  };
  const other = "https://front.example.org/back";
  expect(await doctor("https://board.example.org/callback")).toBe(issuer.url);
  expect(await doctor(other)).toMatch(/the page .+ redirectUris lacks https:\/\/board\.example\.org\/callback$/);
  expect(await doctor(other, { WEB: "off" })).toBe(issuer.url);
});

test.skipIf(isOnCitus())("doctor finds that the tables are not distributed as the settings say", async () => {
  const { env, open } = await newStore();
  const { code, stdout } = await command({ env: { ...env, DATABASE_DISTRIBUTED: "true" }, open }, "doctor");
  expect(stdout).toMatch(/^failed {2}database {10}DATABASE_DISTRIBUTED is true, but [^\n]+$/m);
  expect(code).toBe(1);
});

test.runIf(isOnCitus())("doctor finds distributed tables that the settings do not expect", async () => {
  const { env, open } = await newStore();
  const { code, stdout } = await command({ env: { ...env, DATABASE_DISTRIBUTED: "false" }, open }, "doctor");
  expect(stdout).toMatch(/^failed {2}database {10}The tables of the database are distributed: set [^\n]+$/m);
  expect(code).toBe(1);
});

test("a command makes no database, and no tables", async () => {
  const store = await newStore("empty");
  expect(await command(store, "user", "list")).toEqual(failed(1, /^work-board: .*start the service once to .+\n$/));
});

test.each([
  ["an argument that is missing", "user disable", [], /^Usage: work-board user disable EMAIL$/],
  ["one too many", "admin grant", ["a@example.org", "b@example.org"], /"b@example.org"/],
  ["an unknown option", "user list", ["--seach", "a"], /--seach/],
  ["what is no address", "user enable", ["ada"], /^email: Must be an e-mail address$/],
])("%s is one line", (_, name, args, message) => {
  const read = () => OPERATOR_COMMANDS.find((command) => command.name === name)?.read(args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});

test("an unknown command of a group ends with one line and exit code 2", async () => {
  const nowhere = { env: {}, open: () => Promise.reject(new Error()) };
  expect(await command(nowhere, "user", "destroy")).toEqual(failed(2, /^[^\n]*"user destroy"[^\n]*\n$/));
});
