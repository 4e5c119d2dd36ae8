// The log: one line per request with its route pattern, and the cause of every 500. It never contains a token, a code, a query
// string or a body; of a database error it contains only the parts without values.

import { type DestinationStream, type Logger, pino } from "pino";

interface LoggedError {
  type: string;
  code?: string | undefined;
  constraint?: string | undefined;
  message?: string;
  stack?: string;
}

const textField = (error: Error, ...names: string[]) => {
  for (const [name, value] of Object.entries(error))
    if (names.includes(name) && typeof value === "string") return value;
  return undefined;
};

/** The frames of a stack without its first lines, which repeat the message. */
const framesOf = (error: Error) =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");

/** The innermost cause without the values of a statement: for a database error, only its code and constraint. */
function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  if (error.cause instanceof Error) return loggedError(error.cause);
  const code = textField(error, "code");
  // Errors of class 42 describe the text of a statement, never its values.
  const isOfStatement = code !== undefined && /^(?!42)[0-9A-Z]{5}$/.test(code) && "severity" in error;
  return {
    type: error.name,
    code,
    constraint: textField(error, "constraint_name", "constraint"),
    ...(!isOfStatement && { message: error.message }),
    stack: framesOf(error),
  };
}

/** The most of the log that may wait for a reader of standard output. */
const UNREAD_MAX_BYTES = 1024 * 1024;

/** Standard output, for which the process never waits: lines that nobody reads are dropped, and later counted in a line. */
function standardOutput(): DestinationStream {
  const { stdout } = process;
  let dropped = 0;
  // The reader may end before the service does.
  stdout.on("error", () => {});
  return {
    write: (line) => {
      if (stdout.writableLength > UNREAD_MAX_BYTES) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        const msg = `${dropped} lines of the log were dropped, because nobody read standard output`;
        stdout.write(`${JSON.stringify({ level: pino.levels.values.warn, time: Date.now(), msg })}\n`);
        dropped = 0;
      }
      stdout.write(line);
    },
  };
}

/** The service's logger: JSON lines, on standard output by default. */
export const createLogger = (level: string, destination: DestinationStream = standardOutput()): Logger =>
  pino({ level, base: null, serializers: { err: loggedError } }, destination);
