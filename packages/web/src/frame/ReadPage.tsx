import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { failureOf } from "../client.js";
import { t } from "../texts/index.js";
import { UnavailablePage } from "./UnavailablePage.js";

/** The failures that another try does not change. */
const MISSING: readonly (string | null)[] = ["NOT_FOUND", "FORBIDDEN", "BAD_REQUEST"];

interface Props<T> {
  of: UseQueryResult<T>;
  /** The page of the answer. */
  children: (data: T) => ReactNode;
}

/** A page of what a query has read. What was read before stays while the service does not answer. */
export function ReadPage<T>({ of: { data, error, refetch }, children }: Props<T>) {
  const failure = error && failureOf(error);
  if (failure && MISSING.includes(failure.code))
    return <UnavailablePage heading={t.notFound.heading} text={failure.text} />;
  if (data !== undefined) return children(data);
  return (
    failure && (
      <UnavailablePage
        heading={t.failures.page}
        text={failure.text}
        action={
          <button className="btn" type="button" onClick={() => void refetch()}>
            {t.retry}
          </button>
        }
      />
    )
  );
}
