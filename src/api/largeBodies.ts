// Bodies over 1 MiB: a process receives a few of them at once, each into a file, so that slow clients take no memory and hold up nobody.
// A whole body is worked on in one of two slots, and parsed in a worker thread, so that the main thread keeps responding.

import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { Piscina } from "piscina";
import { codes } from "../db/failures.js";
import { type BodyFile, makeBodyFile, readBodyFile, removeLeftBodyFiles } from "./bodyFiles.js";
import { type ConnectionLimits, endWhenStalled, responseEnd } from "./connections.js";
import {
  badRequest,
  forbidden,
  noTemporarySpace,
  refusedWith,
  tooLarge,
  tooManyRequests,
  unavailable,
  unreadable,
} from "./errors.js";
import { type FairnessLimits, Gate } from "./fairness.js";
import { Prepared, type Task, type TaskResult } from "./preparedInputs.js";
import { Rendered } from "./rendered.js";

/** The largest body in bytes, and the largest of an import. */
export const BODY_LIMIT = 1024 * 1024;
export const LARGE_BODY_LIMIT = 64 * 1024 * 1024;

/** The most large bodies of a process at the same time, from their heads to their responses; an account may have one of them. */
const BODIES_MAX = 16;
/** The most of them that, received completely, are processed or answered at once. */
const SLOTS = 2;
/** About as long as it takes to send and read a large body. */
const RETRY_S = 5;
const HURRY_INTERVAL_MS = 1000;
/** The time for which an idle worker thread keeps its memory. */
const IDLE_MS = 5000;
/** The memory for one body: 60 MiB of text beyond Latin-1 take 120 MiB as JSON, and as much again when parsed. */
const WORKER_HEAP_MIB = 512;

declare module "fastify" {
  interface FastifyRequest {
    /** The large body of the request; null if it has none. */
    held: HeldBody | null;
  }
}

/** A client that sends a body or takes the response to one. */
interface Transfer {
  since: number;
  bytes: () => number;
  end: () => void;
}

/** A large body, from its head until nobody needs it any more. */
class HeldBody {
  readonly accountId: number;
  file: BodyFile | undefined;
  /** The number of its bytes that have arrived. */
  size = 0;
  transfer: Transfer | undefined;
  hasSlot = false;
  /** Resolves when nobody needs the body any more. */
  readonly left: Promise<void>;
  #users = 0;
  #isLeft = false;
  #leave = () => {};

  constructor(accountId: number) {
    this.accountId = accountId;
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  /** Whether the response was sent or the client is gone, and no work on the body runs. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Keeps the body while `work` runs, even if the connection is closed. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work;
    } finally {
      this.#users -= 1;
      if (this.#users === 0 && !this.#isLeft) {
        this.#isLeft = true;
        this.file?.stream.destroy();
        this.#leave();
      }
    }
  }
}

/** Whether a request's body is large, or of unknown size. */
function mayBeLarge({ headers, routeOptions }: FastifyRequest): boolean {
  if (!routeOptions.config.operation?.largeBody) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > BODY_LIMIT;
}

/** Writes a body into its file; resolves to it if it is not large after all. A refusal leaves `payload` open for the response. */
async function receive(held: HeldBody, payload: RequestPayload): Promise<Buffer | undefined> {
  held.file = await makeBodyFile();
  const { stream, fd } = held.file;
  try {
    await new Promise<void>((resolve, reject) => {
      held.transfer = { since: performance.now(), bytes: () => held.size, end: () => reject(unavailable(RETRY_S)) };
      payload.on("data", (chunk: Buffer) => {
        held.size += chunk.length;
        if (held.size > LARGE_BODY_LIMIT) reject(tooLarge());
      });
      finished(payload).catch(() => reject(unreadable()));
      stream.once("error", reject).once("finish", resolve);
      payload.pipe(stream);
    });
  } finally {
    held.transfer = undefined;
    payload.unpipe(stream);
  }
  return held.size > BODY_LIMIT ? undefined : readBodyFile(fd, held.size);
}

/** A stand-in that Fastify reads for a body that is in a file: empty, but counted at its full size. */
const received = (receivedEncodedLength: number) => Object.assign(Readable.from([]), { receivedEncodedLength });

/** The large bodies of a process. */
export class LargeBodies {
  readonly #workers: Piscina<Task, TaskResult>;
  readonly #slots: Gate;
  readonly #log: FastifyBaseLogger;
  readonly #slowClientMs: number;
  /** By account. */
  readonly #bodies = new Map<number, HeldBody>();

  /** `worker` is the file that worker threads run. */
  constructor(
    app: FastifyInstance,
    worker: URL,
    { stalledMs, slowClientMs, heavyWaitMs }: ConnectionLimits & FairnessLimits,
  ) {
    this.#slowClientMs = slowClientMs;
    this.#log = app.log;
    this.#slots = new Gate({ perCaller: 1, inProcess: SLOTS, waiting: 1, waitMs: heavyWaitMs, retryS: RETRY_S });
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
    app.addHook("onReady", removeLeftBodyFiles);
    app.addHook("onClose", () => this.#workers.destroy());
    app.addHook("preParsing", ({ held, headers }, _reply, payload, done) => {
      if (held === null || Number(headers["content-length"]) > LARGE_BODY_LIMIT) return done(null, payload);
      this.#take(held, payload).then((body) => done(null, body), done);
    });
    app.addHook("onSend", ({ held, raw: { socket } }, { raw }, _payload, done) => {
      if (held !== null) {
        endWhenStalled(raw, stalledMs);
        const { bytesWritten } = socket;
        const bytes = () => socket.bytesWritten - bytesWritten;
        held.transfer = { since: performance.now(), bytes, end: () => raw.destroy() };
      }
      done();
    });
  }

  /**
   * Finds a place for a request's body before it is received.
   * @throws TOO_MANY_REQUESTS if the account has one already; SERVICE_UNAVAILABLE if the process has none left; FORBIDDEN for an
   * accountless guest, who may not import.
   */
  reserve(request: FastifyRequest, reply: FastifyReply): void {
    const { caller } = request;
    if (caller === null || !mayBeLarge(request)) return;
    if (caller.isGuest) throw forbidden();
    const { accountId } = caller;
    if (this.#bodies.has(accountId)) throw tooManyRequests(RETRY_S);
    if (this.#bodies.size >= BODIES_MAX && !this.#endSlowest(this.#bodies.values())) throw unavailable(RETRY_S);
    const held = new HeldBody(accountId);
    this.#bodies.set(accountId, held);
    void held.left.then(() => this.#forget(held));
    request.held = held;
    void held.during(responseEnd(request, reply));
  }

  #forget(held: HeldBody): void {
    if (this.#bodies.get(held.accountId) === held) this.#bodies.delete(held.accountId);
  }

  /** Ends the slowest transfer of bodies that others wait for; false if all of them had too little time to be judged. */
  #endSlowest(bodies: Iterable<HeldBody>): boolean {
    const now = performance.now();
    let slowest: { held: HeldBody; transfer: Transfer; speed: number } | undefined;
    for (const held of bodies) {
      const { transfer } = held;
      if (transfer === undefined || now - transfer.since < this.#slowClientMs) continue;
      const speed = transfer.bytes() / (now - transfer.since);
      if (slowest === undefined || speed < slowest.speed) slowest = { held, transfer, speed };
    }
    if (slowest === undefined) return false;
    this.#forget(slowest.held);
    slowest.transfer.end();
    return true;
  }

  /** Receives a body and waits for a slot. Resolves to what Fastify reads in its place: a body that is not large after all, or nothing. */
  async #take(held: HeldBody, payload: RequestPayload): Promise<Readable> {
    const small = await held.during(receive(held, payload)).catch((error: unknown) => {
      if (!codes(error).some((code) => code === "ENOSPC" || code === "EDQUOT")) throw error;
      this.#log.warn({ err: error }, "a large body has no space in the directory for temporary files");
      throw noTemporarySpace();
    });
    if (small !== undefined) return Readable.from([small]);
    const slowReaders = () => [...this.#bodies.values()].filter(({ hasSlot }) => hasSlot);
    const hurrying = setInterval(() => this.#endSlowest(slowReaders()), HURRY_INTERVAL_MS);
    await new Promise<void>((begin, refuse) => {
      const work = () => {
        held.hasSlot = true;
        begin();
        return held.left;
      };
      this.#slots.run({ key: held.accountId, weight: 1 }, work).catch(refuse);
    }).finally(() => clearInterval(hurrying));
    return received(held.size);
  }

  /** Prepares a large body; `isBatch`: its member `0`. @throws BAD_REQUEST; SERVICE_UNAVAILABLE if the client is gone. */
  async prepare({ held, routeOptions }: FastifyRequest, isBatch = false): Promise<Prepared> {
    const { operation } = routeOptions.config;
    if (held?.file === undefined || !operation?.largeBody) throw tooLarge();
    if (held.isLeft) throw unavailable(RETRY_S);
    const task = this.#workers.run({ path: operation.path, fd: held.file.fd, size: held.size, isBatch });
    const outcome = await held.during(task).catch((error: unknown) => {
      if (codes(error).includes("ERR_WORKER_OUT_OF_MEMORY")) throw badRequest("The body takes too much memory");
      throw error;
    });
    if (held.isLeft) throw unavailable(RETRY_S);
    if (outcome.kind === "refused") throw refusedWith(outcome.code, outcome.issues);
    return new Prepared(
      outcome.kind === "plan" ? outcome.plan : Rendered.from(Buffer.from(outcome.bytes.buffer)),
      outcome.bodyHash,
    );
  }
}
