// Bodies over 1 MiB: a process holds only a few of them, refuses others before it reads them, and parses them in a worker thread so
// that the main thread keeps responding.

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Piscina } from "piscina";
import { codes } from "../db/failures.js";
import { type ConnectionLimits, endWhenStalled, over } from "./connections.js";
import { badRequest, Failure, forbidden, tooManyRequests, unavailable, unreadable } from "./errors.js";
import { Prepared, type Task, type TaskResult } from "./prepared.js";
import { Rendered } from "./rendered.js";

/** The largest body in bytes, and the largest of an import. */
export const BODY_LIMIT = 1024 * 1024;
export const LARGE_BODY_LIMIT = 64 * 1024 * 1024;

/** How many large bodies a process holds at the same time; an account may have one of them. */
const HELD_MAX = 2;
/** About as long as it takes to send and read a large body. */
const RETRY_S = 5;
/** How long a worker thread without work keeps its memory. */
const IDLE_MS = 5000;
/** The memory for one body: 60 MiB of text beyond Latin-1 take 120 MiB as JSON, and as much again when parsed. */
const WORKER_HEAP_MIB = 512;

declare module "fastify" {
  interface FastifyRequest {
    /** The slot of the request's large body; null if it has none. */
    held: HeldBody | null;
  }
  interface FastifyContextConfig {
    /** The path in the router of an operation that takes large bodies. */
    largeBodyOf?: string;
  }
}

/** The slot of one large body, taken until the body is no longer needed. */
export class HeldBody {
  /** The body, if it was read on arrival. */
  bytes: Buffer | undefined;
  #users = 0;
  #isLeft = false;
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** Whether the slot is free for another body: nobody waits for what becomes of this one. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Keeps the slot while `work` runs, even if the connection is closed. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work;
    } finally {
      this.#users -= 1;
      if (this.#users === 0 && !this.#isLeft) {
        this.#isLeft = true;
        this.#leave();
      }
    }
  }
}

/** Whether a request's body is large, or of unknown size. */
function mayBeLarge({ headers, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.largeBodyOf === undefined) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > BODY_LIMIT;
}

/** Reads a body into one buffer of its final size: joining its parts at the end would block this thread. */
async function collect(payload: Readable, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let received = 0;
  try {
    for await (const chunk of payload) received += chunk.copy(bytes, received);
  } catch {
    throw unreadable();
  }
  return bytes.subarray(0, received);
}

/** What Fastify reads in place of a body that was collected: nothing, counted as all of it. */
const collected = (receivedEncodedLength: number) => Object.assign(Readable.from([]), { receivedEncodedLength });

/** The large bodies of a process. */
export class LargeBodies {
  readonly #workers: Piscina<Task, TaskResult>;
  /** The accounts whose bodies are held. */
  readonly #accounts = new Set<number>();

  /** `worker` is the file that worker threads run; `stalledMs`: for how long a client may take nothing of its response. */
  constructor(app: FastifyInstance, worker: URL, { stalledMs }: Pick<ConnectionLimits, "stalledMs">) {
    this.#workers = new Piscina<Task, TaskResult>({
      filename: worker.href,
      minThreads: 0,
      // Two bodies at once would take twice the memory.
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB },
      execArgv: worker.pathname.endsWith(".ts") ? ["--import", "tsx"] : [],
    });
    app.decorateRequest("held", null);
    app.addHook("onClose", () => this.#workers.destroy());
    app.addHook("preParsing", ({ held, headers }, _reply, payload, done) => {
      const length = Number(headers["content-length"]);
      if (held === null || !(length <= LARGE_BODY_LIMIT)) return done(null, payload);
      collect(Readable.from(payload), length).then((bytes) => {
        held.bytes = bytes;
        done(null, collected(bytes.length));
      }, done);
    });
    app.addHook("onSend", ({ held }, { raw }, _payload, done) => {
      if (held !== null) endWhenStalled(raw, stalledMs);
      done();
    });
  }

  /**
   * Finds a slot for a request's body before it is read.
   * @throws TOO_MANY_REQUESTS if the account has one already; SERVICE_UNAVAILABLE if the process has none left; FORBIDDEN for an
   * accountless guest, who may not import.
   */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    const { caller } = request;
    if (caller === null || !mayBeLarge(request)) return;
    if (caller.isGuest) throw forbidden();
    if (this.#accounts.has(caller.accountId)) throw tooManyRequests(RETRY_S);
    if (this.#accounts.size >= HELD_MAX) throw unavailable(RETRY_S);
    this.#accounts.add(caller.accountId);
    request.held = new HeldBody(() => this.#accounts.delete(caller.accountId));
    void request.held.during(over(request, reply));
  }

  /**
   * What the operation of a request makes of its large body, which this consumes; `isBatch`: of the body's member `0`.
   * @throws PAYLOAD_TOO_LARGE if the request has no slot; BAD_REQUEST if the input is wrong; SERVICE_UNAVAILABLE if the client has
   * disconnected.
   */
  async prepare({ held, routeOptions }: FastifyRequest, bytes: Buffer, isBatch = false): Promise<Prepared> {
    const path = routeOptions.config.largeBodyOf;
    if (held === null || path === undefined) throw new Failure("PAYLOAD_TOO_LARGE");
    const owned = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    const task = this.#workers.run({ path, bytes: owned, isBatch }, { transferList: [owned.buffer] });
    const outcome = await held.during(task).catch((error: unknown) => {
      if (codes(error).includes("ERR_WORKER_OUT_OF_MEMORY")) throw badRequest("The body takes too much memory");
      throw error;
    });
    if (held.isLeft) throw unavailable(RETRY_S);
    if (outcome.kind === "refused") throw new Failure(outcome.code, { issues: outcome.issues });
    return new Prepared(
      outcome.kind === "plan" ? outcome.plan : Rendered.from(Buffer.from(outcome.bytes.buffer)),
      outcome.bodyHash,
    );
  }
}
