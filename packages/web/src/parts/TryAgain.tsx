import { t } from "../texts/index.js";
import { Reason } from "./Reason.js";

interface Props {
  of: { error: Error | null; refetch: () => Promise<unknown> };
}

/** The reason why a query failed, and a button that reads again; nothing if it did not fail. */
export const TryAgain = ({ of: { error, refetch } }: Props) =>
  error && (
    <div className="try-again">
      <Reason of={error} />
      <button className="btn" type="button" onClick={() => void refetch()}>
        {t.retry}
      </button>
    </div>
  );
