// `work-board start`: the service.

import { type Command, UsageError } from "./command.js";

export const start: Command = {
  name: "start",
  summary: "start the service (the default)",
  run: async ([unknown]) => {
    if (unknown !== undefined) throw new UsageError(`Unknown argument ${JSON.stringify(unknown)}`);
    // Loaded late: the other commands must not start it.
    await import("../server.js");
  },
};
