// `work-board start`: the service.

import { type Command, mustBeLast } from "./command.js";

export const start: Command = {
  name: "start",
  summary: "start the service (the default)",
  run: async ([unknown]) => {
    mustBeLast(unknown);
    // Loaded late: the other commands must not start it.
    await import("../process.js");
  },
};
