import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { isConnectionError } from "../../../src/db/failures.js";
import { openPostgres } from "../../../src/db/postgres.js";

const url = process.env.TEST_DATABASE_URL ?? "";

function open(at: string) {
  const driver = openPostgres({
    url: at,
    poolSize: 1,
    prepare: true,
    statementTimeoutMs: 10_000,
    acquireTimeoutMs: 500,
  });
  onTestFinished(() => driver.close());
  return driver;
}

describe("a Unix socket", () => {
  test.skipIf(!url)("of the server is connected to if the URL has its directory as the host", async () => {
    const admin = open(url);
    const settingOf = async (name: string) =>
      String((await admin.query("select current_setting($1)", [name], "array")).flat());
    const [directory = ""] = (await settingOf("unix_socket_directories")).split(",");
    const port = await settingOf("port");
    if (!existsSync(`${directory}/.s.PGSQL.${port}`)) return;
    const socketUrl = url.replace(/(\/\/[^@/]*@|\/\/)[^/]*/, `$1${encodeURIComponent(directory)}:${port}`);
    const driver = open(socketUrl);
    expect(await driver.query("select inet_client_addr()::text", [], "array")).toEqual([[null]]);
  });

  test("that is not there is a server that cannot be reached", async () => {
    const driver = open("postgres://%2Fnowhere/db");
    const failure: unknown = await driver.query("select 1", [], "array").catch((error: unknown) => error);
    expect(isConnectionError(failure)).toBe(true);
  });
});
