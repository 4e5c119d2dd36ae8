// The service as a real process that loses its database while it runs.

import { expect, inject, onTestFinished, test } from "vitest";
import { openProxy } from "../db/postgres/proxy.js";
import { call, newStore, serve } from "../helpers/processes.js";
import { settle } from "./settling.js";

const isEmbedded = inject("template").kind === "embedded";
const patient = { timeout: 10_000 };

test.runIf(!isEmbedded)(
  "that its database is lost, and that it is back, is told in one plain line each, whatever the number of calls",
  { tags: ["slow"], timeout: 60_000 },
  async () => {
    const { env } = await newStore();
    const proxy = await openProxy(env.DATABASE_URL ?? "");
    onTestFinished(() => proxy.close());
    const service = await serve({ ...env, DATABASE_URL: proxy.url });
    const { token } = await settle(service);
    const status = async () => (await call(service.url, token, "GET", "/workspaces")).status;
    const lines = () => service.output.stderr.split("\n").slice(0, -1);
    expect({ status: await status(), lines: lines() }).toEqual({ status: 200, lines: [] });

    await proxy.set("drop");
    await expect.poll(status, patient).toBe(503);
    const lost = expect.stringMatching(/^work-board lost its database: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
    await expect.poll(lines, patient).toEqual([lost]);
    // Long enough for several attempts to connect, which the process makes about once per second.
    for (let round = 0; round < 50; round += 1) {
      expect(await status()).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(lines()).toEqual([lost]);

    await proxy.set("pass");
    await expect.poll(status, patient).toBe(200);
    await expect.poll(lines, patient).toEqual([lost, "work-board has its database back"]);
    const warnings = service.output.stdout.split("\n").filter((line) => /^\{"level":[456]0/.test(line));
    expect(warnings.length).toBeLessThan(50);
  },
);
