// The service, as the page calls it.

import { createClient, type RouterOutputs, WorkBoardError } from "work-board-client";
import { openFetch, sessionFetch } from "./requests.js";
import { t } from "./texts/index.js";

export type { RouterInputs, RouterOutputs } from "work-board-client";

export const client = createClient({ url: location.origin, fetch: sessionFetch });

/** For calls about who is signed in: they are made as whoever that is, or as nobody. */
export const anonymousClient = createClient({ url: location.origin, fetch: openFetch });

/** Why a call failed. `code` is null if no answer arrived. */
export interface Failure {
  code: WorkBoardError["code"];
  /** The message for a place of the input, such as `email`; undefined if the failure is not about it. */
  at(path: string): string | undefined;
  /** The whole failure in a sentence. */
  text: string;
}

/** Sentences for codes whose message says nothing of the thing. */
const SAYS_LITTLE: Partial<Record<string, () => string>> = {
  NOT_FOUND: () => t.failures.notFound,
  FORBIDDEN: () => t.failures.forbidden,
};

/** Reads what a call threw. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof WorkBoardError)) return { code: null, at: () => undefined, text: t.failures.other };
  const { code, issues, message } = error;
  return {
    code,
    at: (path) => issues.find((issue) => issue.path[0] === path)?.message,
    text: code === null ? t.failures.noAnswer : (issues[0]?.message ?? SAYS_LITTLE[code]?.() ?? message),
  };
}

/** An account as its owner sees it. */
export type User = NonNullable<RouterOutputs["user"]["session"]["user"]>;
