// The reasons why a database cannot be copied, in words for the operator.

/** A copy cannot be made, or was not. The message is one line without a full stop. */
export class CopyError extends Error {
  override readonly name: string = "CopyError";
}
