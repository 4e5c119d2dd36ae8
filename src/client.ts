// What a TypeScript user of the service imports: a typed client over tRPC. At run time it needs @trpc/client alone.

import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  type TRPCLink,
} from "@trpc/client";
import type { AppRouter } from "./router.js";

type Problem = NonNullable<TRPCClientError<AppRouter>["data"]>;

/** The most calls that the service takes in one request (contract section 1). */
const MAX_BATCH = 10;
/** A batch of queries travels in its URL; servers and proxies in between refuse long ones. */
const MAX_URL_LENGTH = 8000;

/** Every failed call throws this. `code` and `status` are null where no answer of the service arrived. */
export class WorkBoardError extends TRPCClientError<AppRouter> {
  readonly code: Problem["code"] | null;
  readonly status: number | null;
  /** What is wrong with the input, and where. */
  readonly issues: Problem["issues"];

  constructor(error: TRPCClientError<AppRouter>) {
    super(error.message, { result: error.shape && { error: error.shape }, cause: error, meta: error.meta ?? {} });
    // TRPCClientError takes the prototype of its subclasses away.
    Object.setPrototypeOf(this, WorkBoardError.prototype);
    this.name = "WorkBoardError";
    this.code = error.data?.code ?? null;
    this.status = error.data?.httpStatus ?? null;
    this.issues = error.data?.issues ?? [];
  }
}

/** Turns the errors of the links after it into WorkBoardErrors. */
const workBoardErrors: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    const answers = next(op);
    const subscribe: typeof answers.subscribe = (observer) =>
      answers.subscribe({ ...observer, error: (error) => observer.error?.(new WorkBoardError(error)) });
    return { ...answers, subscribe };
  };

/** Where the service is, such as `http://localhost:3000`, and who calls; without a token only public operations work. */
export interface ClientOptions {
  url: string;
  token?: string;
}

/** Makes a client. Calls of one tick travel together, ten at most; imports, whose bodies may be large, travel alone. */
export function createClient({ url, token }: ClientOptions): TRPCClient<AppRouter> {
  const options = {
    url: `${url.replace(/\/+$/, "")}/trpc`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  };
  return createTRPCClient({
    links: [
      workBoardErrors,
      splitLink({
        condition: ({ path }) => path.startsWith("import."),
        true: httpLink(options),
        false: httpBatchLink({ ...options, maxItems: MAX_BATCH, maxURLLength: MAX_URL_LENGTH }),
      }),
    ],
  });
}
