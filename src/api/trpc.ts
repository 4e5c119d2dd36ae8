// The tRPC set-up: what every procedure has in common, and the kinds of procedure that features build on.

import { initTRPC } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import type { OpenApiMeta } from "trpc-to-openapi";
import type { z } from "zod";
import type { Caller, Context, VerifiedCaller } from "./context.js";
import {
  type ErrorCode,
  type Failure,
  failureOf,
  forbidden,
  type Issue,
  notFound,
  unauthorized,
  yieldsToToken,
} from "./errors.js";
import type { Weight } from "./fairness.js";
import { saveResponse } from "./idempotency.js";

/** The description of a procedure beside its schemas and its entry in the document. */
export interface Traits {
  /** Counts under the limit of sign-in and sign-up, per address. */
  authLimit?: true;
  /** Accepts a session cookie even if `Acting-As` names another account than the cookie. */
  ignoresActingAs?: true;
  /** Ends the session of its caller: with a valid token, neither rate limits nor overload refuse it. */
  endsSession?: true;
  /** Its answer holds a secret, which is shown once and so not stored for an Idempotency-Key. */
  secretAnswer?: true;
  /** A GET whose answer has an ETag. */
  etag?: true;
  /** The schema of each item that a subscription sends. */
  stream?: z.ZodType;
  /** Takes bodies of up to 64 MiB instead of 1 MiB. */
  largeBody?: true;
  /** A GET whose answer is a file: CSV where `format=csv` asks for it (text over tRPC), else JSON. */
  csv?: true;
  /** A GET whose answer is a file of this content type, sent over REST alone (`downloads.ts`). */
  file?: "application/zip";
  /** A change that `If-Match` can make conditional; its answer then has the new ETag. */
  ifMatch?: true;
  /** Codes that it answers although other operations of its kind do not. */
  fails?: readonly ErrorCode[];
  /** Headers that only this operation answers with. */
  answerHeaders?: readonly ("Event-Id" | "Set-Cookie" | "X-Access-Token")[];
  /** A POST whose input may also stand in the query; its body may then be a form, which is ignored (RFC 8058). */
  takesForm?: true;
  /** The share of its caller that a call takes while it runs (`fairness.ts`); 1 by default. */
  weight?: Weight | ((input: unknown, ctx: Pick<Context, "boards">) => number);
}

/** The entry of a procedure in the document, and its traits. */
export interface Meta extends OpenApiMeta, Traits {}

/** The shape of an error over tRPC: the codes, texts and issues of REST. */
export function trpcErrorShape(failure: Failure) {
  const data: { code: ErrorCode; httpStatus: number; issues: Issue[] } = {
    code: failure.code,
    httpStatus: failure.status,
    issues: failure.issues,
  };
  return { code: TRPC_ERROR_CODES_BY_KEY[failure.code], message: failure.message, data };
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  // Subscriptions are served by streams.ts.
  .create({ isDev: false, sse: { enabled: false }, errorFormatter: ({ error }) => trpcErrorShape(failureOf(error)) });

export const router = t.router;

type Outcome = { ok: true } | { ok: false; error: unknown };

/** A POST never says that its target does not exist: its NOT_FOUND becomes FORBIDDEN (contract section 1, order of checks). */
function answered<Result extends Outcome>(result: Result, meta: Meta | undefined): Result {
  if (result.ok) return result;
  const failure = failureOf(result.error);
  throw failure.code === "NOT_FOUND" && meta?.openapi?.method === "POST" ? forbidden() : failure;
}

/** A call on its way through a procedure. */
interface Passing {
  ctx: Context;
  meta: Meta | undefined;
  getRawInput: () => Promise<unknown>;
}

/** Whether an operation is a mutation: those alone have another method than GET. */
const isMutation = (meta: Meta | undefined) => meta?.openapi?.method !== "GET";

/** Refuses a caller after its input was checked: wrong input is BAD_REQUEST for every caller. */
async function refuse({ ctx, meta, getRawInput }: Passing): Promise<never> {
  const input = await getRawInput();
  const checked = ctx.inputOf(meta)?.safeParse(input === undefined ? {} : input);
  throw checked?.error === undefined ? forbidden() : failureOf(checked.error);
}

/**
 * Runs a call in its turn: every call waits for it before it uses the database, as does each call of a batch. Streams have limits of
 * their own. No middleware of its own, since tRPC copies a call several times for each.
 */
async function inTurn<Result extends Outcome & { data?: unknown }>(
  { ctx, meta, getRawInput }: Passing,
  run: () => Promise<Result>,
): Promise<Result> {
  if (meta?.stream !== undefined) return run();
  const weight = typeof meta?.weight === "function" ? meta.weight(await getRawInput(), ctx) : (meta?.weight ?? 1);
  const result = await (meta?.endsSession ? run() : ctx.inTurn(weight, run));
  const isKeyed = result.ok && ctx.requestOptions.idempotency !== null;
  return isKeyed ? { ...result, data: await saveResponse(ctx, result.data) } : result;
}

/** Whether a caller, just verified, acts as an instance admin. */
export const runsInstance = ({ isAdmin, token }: VerifiedCaller): boolean => isAdmin && token.kind === "session";

/** The caller, just verified. @throws UNAUTHORIZED */
async function verified({ caller, verify }: Context): Promise<VerifiedCaller> {
  if (caller === null) throw unauthorized();
  return verify(caller);
}

/** An operation that needs no token. */
export const publicProcedure = t.procedure.use((opts) =>
  inTurn(opts, async () => answered(await opts.next(), opts.meta)),
);

/**
 * An operation for any valid token, which changes nothing if it is for reading alone. Its guard comes first, and verifies the token as
 * it finds the caller; one that fails before, or finds nobody, is UNAUTHORIZED where the token has ended.
 */
export const protectedProcedure = t.procedure.use((opts) =>
  inTurn(opts, async () => {
    const { caller, verify } = opts.ctx;
    if (caller === null) throw unauthorized();
    const { claim, token } = caller;
    const isRefused = token.scope === "read" && isMutation(opts.meta);
    // The context has its `user` already (`CallContext`): tRPC would copy it, slowly, were it given here.
    const run = async () => (isRefused ? refuse(opts) : answered(await opts.next<{ user: Caller }>({}), opts.meta));
    const result = await run().catch(async (error: unknown) => {
      if (yieldsToToken(error) && !claim.isVerified) await verify(caller);
      throw error;
    });
    if (!claim.isVerified) await verify(caller);
    return result;
  }),
);

/** An operation on the caller's own things, which has no guard: the token is verified before it runs. */
export const personalProcedure = t.procedure.use((opts) =>
  inTurn(opts, async () => {
    const user = await verified(opts.ctx);
    if (user.token.scope === "read" && isMutation(opts.meta)) return refuse(opts);
    return answered(await opts.next({ ctx: { user } }), opts.meta);
  }),
);

/** A `personalProcedure` that refuses accountless guests. */
export const accountProcedure = personalProcedure.use(async (opts) =>
  opts.ctx.user.isGuest ? refuse(opts) : opts.next(),
);

/** An operation on the account itself, which requires the token of a sign-in (contract section 2, Token). */
export const sessionProcedure = personalProcedure.use(async (opts) =>
  opts.ctx.user.token.kind === "session" ? opts.next() : refuse(opts),
);

/** A `sessionProcedure` that refuses accountless guests. */
export const accountSessionProcedure = sessionProcedure.use(async (opts) =>
  opts.ctx.user.isGuest ? refuse(opts) : opts.next(),
);

/** An operation for the session of an instance admin. For others it does not exist (capabilities section 0, Codes). */
export const adminProcedure = t.procedure.use((opts) =>
  inTurn(opts, async () => {
    const user = await verified(opts.ctx);
    if (!runsInstance(user)) throw notFound();
    return answered(await opts.next({ ctx: { user } }), opts.meta);
  }),
);
