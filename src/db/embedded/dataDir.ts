// The error for a directory of an embedded database that cannot be used, in words for operators.

/** DATA_DIR cannot be used. The message is one line that names the variable or its value. */
export class DataDirError extends Error {
  override readonly name: string = "DataDirError";
}
