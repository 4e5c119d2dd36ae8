// What is wrong with the directory of an embedded database, in words for whoever runs the service.

/** DATA_DIR cannot be used. The message is one line that names the variable or its value. */
export class DataDirError extends Error {
  override readonly name: string = "DataDirError";
}
