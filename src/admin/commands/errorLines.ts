// Describes to the operator why a command failed, or the service did not start: one line, or a line per wrong setting.

import { Failure } from "../../api/errors.js";
import { ConfigError } from "../../config.js";
import { CopyError } from "../../db/copy/copyError.js";
import { DistributionError } from "../../db/distribution.js";
import { DataDirError } from "../../db/embedded/dataDir.js";
import { codes, isConnectionError, reasonOf } from "../../db/failures.js";
import { VersionError } from "../../db/migrate.js";
import { CommandError } from "./command.js";

/** Errors whose message is written for the operator. */
const WORDED = [CommandError, CopyError, DataDirError, DistributionError, VersionError];

/** Describes an error in lines; null for a defect, which needs its stack. */
export function errorLinesOf(error: unknown): string[] | null {
  if (error instanceof ConfigError) return error.message.split("\n");
  const line = errorLineOf(error);
  return line === null ? null : [line];
}

/** Describes an error in one line; null for a defect, which needs its stack. */
export function errorLineOf(error: unknown): string | null {
  if (WORDED.some((kind) => error instanceof kind) && error instanceof Error)
    return error.message.replaceAll("\n", " ");
  if (error instanceof Failure && !error.isFault) return error.issues[0]?.message ?? error.message;
  const cause = error instanceof Failure ? error.cause : error;
  if (cause instanceof Error && (isConnectionError(cause) || codes(cause).length > 0)) return reasonOf(cause);
  return null;
}
