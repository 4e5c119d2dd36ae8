// The options of the benchmark on the command line.

import { parseArgs } from "node:util";

/** Which operations are measured, how, and for how long. */
export interface Options {
  /** Words of the names of operations; none: all. */
  only: string[];
  connections: number[];
  rounds: number;
  measuredMs: number;
  /** The file for the results as JSON, beside the table. */
  output: string;
  withEmbedded: boolean;
}

const USAGE = `npm run bench -- [--only rename,move] [--connections 1,32] [--rounds 3] [--ms 1500] [--out bench-results.json] [--no-embedded]`;

const wholeNumber = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0\n${USAGE}`);
  return value;
};

/** Reads the arguments; throws with the usage where one is unknown. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string", default: "" },
      connections: { type: "string", default: "1,32" },
      rounds: { type: "string", default: "3" },
      ms: { type: "string", default: "1500" },
      out: { type: "string", default: "bench-results.json" },
      "no-embedded": { type: "boolean", default: false },
    },
  });
  return {
    only: values.only.split(",").filter((word) => word !== ""),
    connections: values.connections.split(",").map((text) => wholeNumber("connections", text)),
    rounds: wholeNumber("rounds", values.rounds),
    measuredMs: wholeNumber("ms", values.ms),
    output: values.out,
    withEmbedded: !values["no-embedded"],
  };
}
