// `work-board doctor`: also where settings are wrong or the database cannot be opened, which is when it is wanted.

import { runInService } from "../admin/commands/commandSocket.js";
import { doctorInService, examine, type Finding, report } from "../admin/doctor.js";
import { type Config, ConfigError, readConfig } from "../config.js";
import type { Driver } from "../db/driver.js";
import type { Command } from "./command.js";
import { openExisting, printing } from "./operating.js";

/** The settings, or what is wrong with each. */
function settings(): Config | Finding[] {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split("\n").map((text) => ({ subject: "settings", text, isFailed: true }));
  }
}

async function* examineHere(config: Config): AsyncGenerator<Finding> {
  const opened: Driver[] = [];
  try {
    yield* examine(config, async () => {
      const driver = await openExisting(config);
      opened.push(driver);
      return driver;
    });
  } finally {
    for (const driver of opened) await driver.close();
  }
}

async function* run(args: readonly string[]): AsyncGenerator<string> {
  const input = doctorInService.read(args);
  const config = settings();
  if (Array.isArray(config)) {
    yield* report(config);
    return;
  }
  const inService =
    config.databaseUrl === undefined ? await runInService(config.dataDir, doctorInService, input) : null;
  yield* inService ?? report(examineHere(config));
}

export const doctor: Command = {
  name: doctorInService.name,
  summary: doctorInService.summary,
  run: (args) => printing(run(args)),
};
