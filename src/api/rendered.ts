// Answers that are kept as the bytes they are sent as: checked and written out once for each state of what they show, and sent
// again for as long as the database says that the state is the same.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { z } from "zod";
import { etagOfBody } from "./etags.js";

const compress = promisify(gzip);
/** Nearly as small as the default, in a third of the time. */
const GZIP_LEVEL = 2;

/** An answer as its bytes, with the entity tag that is made of them. */
export class Rendered {
  readonly body: Buffer;
  readonly etag: string;
  #gzipped: Promise<Buffer> | undefined;

  private constructor(text: string) {
    this.body = Buffer.from(text);
    this.etag = etagOfBody(text);
  }

  /** Renders an answer that was checked. */
  static of(answer: unknown): Rendered {
    return new Rendered(JSON.stringify(answer));
  }

  /** Renders what an output schema lets through. */
  static as<T extends z.ZodType>(output: T, answer: z.input<T>): Rendered {
    return Rendered.of(output.parse(answer));
  }

  /** The bytes as gzip, made when they are first asked for. */
  gzipped(): Promise<Buffer> {
    this.#gzipped ??= compress(this.body, { level: GZIP_LEVEL });
    return this.#gzipped;
  }

  /** What was rendered, for callers that are not sent the bytes: over tRPC it stands among other answers. */
  toJSON(): unknown {
    return JSON.parse(this.body.toString());
  }
}

/** An output schema that also takes what it rendered before, and leaves that unread. The document sees the schema itself. */
export function orRendered<T extends z.ZodObject>(output: T): T {
  const parse = (answer: unknown) => (answer instanceof Rendered ? answer : output.parse(answer));
  return Object.create(output, {
    parse: { value: parse },
    parseAsync: { value: async (answer: unknown) => parse(answer) },
  });
}

/** A rendered answer where the answer itself is expected: its output was made by `orRendered`. */
export const answering = <T extends z.ZodType>(rendered: Rendered) => rendered as unknown as z.output<T>;

/** States of one thing that are kept: all of one version, which only grows. */
interface Kept {
  version: number;
  bytes: number;
  states: Map<string, Rendered>;
}

const NOTHING: ReadonlyMap<string, Rendered> = new Map();

/** Rendered answers about things, in bounded memory: what was asked for least recently goes first. */
export class RenderedAnswers {
  readonly #limitBytes: number;
  /** By the public identifier of the thing, least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The states in which a thing is kept; what is in it stays in it, whatever is kept or forgotten meanwhile. */
  of(publicId: string): ReadonlyMap<string, Rendered> {
    const kept = this.#kept.get(publicId);
    if (kept === undefined) return NOTHING;
    this.#kept.delete(publicId);
    this.#kept.set(publicId, kept);
    return kept.states;
  }

  /** Keeps a thing in a state of a version, and forgets the versions before it. */
  keep(publicId: string, { version, state }: { version: number; state: string }, rendered: Rendered): void {
    const before = this.#kept.get(publicId);
    if (before !== undefined && before.version > version) return;
    if (before !== undefined) this.#forget(publicId, before);
    const kept = before?.version === version ? before : { version, bytes: 0, states: new Map<string, Rendered>() };
    // The compressed form, made later, is taken to be no more than the plain one.
    if (!kept.states.has(state)) kept.bytes += 2 * rendered.body.length;
    kept.states.set(state, rendered);
    this.#kept.set(publicId, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#forget(oldest, entry);
    }
  }

  #forget(publicId: string, kept: Kept): void {
    this.#kept.delete(publicId);
    this.#bytes -= kept.bytes;
  }
}
