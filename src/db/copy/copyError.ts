// What keeps a database from being copied, in words for whoever runs the service.

/** A copy cannot be made, or was not. The message is one line without a full stop. */
export class CopyError extends Error {
  override readonly name: string = "CopyError";
}
