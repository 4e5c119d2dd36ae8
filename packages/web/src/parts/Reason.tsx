import { failureOf } from "../client.js";

/** The reason why a call failed; nothing if it did not fail. */
export const Reason = ({ of: error }: { of: Error | null }) =>
  error && (
    <p className="error" role="alert">
      {failureOf(error).text}
    </p>
  );
