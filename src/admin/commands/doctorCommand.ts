// `work-board doctor` in the service that has the embedded database open; the command line runs it by itself everywhere else.

import { examine, report } from "../doctor.js";
import { NoInput, operatorCommand } from "./command.js";

export const doctorInService = operatorCommand({
  name: "doctor",
  usage: "",
  summary: "check settings, database, migrations, mail, providers and files",
  input: NoInput,
  run: ({ config, driver }) => report(examine(config, () => driver)),
});
