import { failureOf } from "../client.js";

interface Props {
  of: Error | null;
  /** The failure in words. */
  say?: (error: Error) => string;
}

/** The reason why a call failed; nothing if it did not fail. */
export const Reason = ({ of: error, say = (one) => failureOf(one).text }: Props) =>
  error && (
    <p className="error" role="alert">
      {say(error)}
    </p>
  );
