// The log: one line a request with its route pattern, and the cause of every 500. Never a token, a code, a query string or a
// body; what the database says of a failed statement is cut down to what holds no values.

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

/** The innermost cause, in words that hold no values of a statement: a database error keeps its code and constraint alone. */
export function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  if (error.cause instanceof Error) return loggedError(error.cause);
  const code = textField(error, "code");
  // Class 42 tells of a defect in a statement's text, never of its values.
  const isOfStatement = code !== undefined && /^(?!42)[0-9A-Z]{5}$/.test(code) && "severity" in error;
  return {
    type: error.name,
    code,
    constraint: textField(error, "constraint_name", "constraint"),
    ...(!isOfStatement && { message: error.message }),
    stack: framesOf(error),
  };
}

/** The service's logger, JSON lines on standard output unless told otherwise. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers: { err: loggedError } };
  return destination === undefined ? pino(options) : pino(options, destination);
}
