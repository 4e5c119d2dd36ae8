// Responses as bytes, and a cache of bounded size for the data that they are made from.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { counted, etagOfBody } from "./etags.js";

const compress = promisify(gzip);
/** Nearly as small as with the default level, in a third of the time. */
export const DEFLATE_LEVEL = 2;

/** A response as bytes, with the entity tag of its content. */
export abstract class Rendered {
  abstract readonly etag: string;
  /** The length of the plain body in bytes. */
  abstract readonly size: number;
  /** The plain body. */
  abstract plain(): Buffer;
  /** The body as gzip, in the pieces in which it is sent. */
  abstract gzipped(): Promise<readonly Buffer[]>;
  /** The body between two texts, as one gzip member. */
  abstract gzippedWithin(before: string, after: string): Promise<readonly Buffer[]>;

  /** The plain body in the pieces in which it is sent, none of them a copy. */
  chunks(): Buffer[] {
    return [this.plain()];
  }

  /** The response between two texts, under the same entity tag: tRPC encloses its answers. */
  within(before: string, after: string): Rendered {
    return new Enclosed(this, before, after);
  }

  /** The value itself, for tRPC's streamed responses, which write it into other JSON. */
  toJSON(): unknown {
    return JSON.parse(this.plain().toString());
  }

  /** Renders a value that was validated. Its entity tag ignores `eventId`. */
  static of(answer: unknown): Rendered {
    return Rendered.from(Buffer.from(JSON.stringify(answer)), () => etagOfBody(JSON.stringify(counted(answer))));
  }

  /** Renders the items of a list page by page, so that only the bytes of a written page stay in memory. */
  static async ofPages(pages: AsyncIterable<readonly unknown[]>): Promise<Rendered> {
    const parts: Buffer[] = [];
    for await (const page of pages) {
      if (page.length === 0) continue;
      parts.push(Buffer.from(`${parts.length === 0 ? "[" : ","}${JSON.stringify(page).slice(1, -1)}`));
    }
    return Rendered.from(Buffer.concat([...parts, Buffer.from(parts.length === 0 ? "[]" : "]")]));
  }

  /** Wraps a response that was rendered elsewhere; `tag` gives its entity tag, that of all its bytes by default. */
  static from(body: Buffer, tag: () => string = () => etagOfBody(body), level = DEFLATE_LEVEL): Rendered {
    return new RenderedBody(body, tag, level);
  }

  /** Renders a value that an output schema accepts. */
  static as<T extends z.ZodType>(output: T, answer: z.input<T>): Rendered {
    return Rendered.of(output.parse(answer));
  }
}

/** A response in one piece. */
class RenderedBody extends Rendered {
  readonly #body: Buffer;
  readonly #tag: () => string;
  readonly #level: number;
  #etag: string | undefined;
  #gzipped: Promise<readonly Buffer[]> | undefined;

  constructor(body: Buffer, tag: () => string, level: number) {
    super();
    this.#body = body;
    this.#tag = tag;
    this.#level = level;
  }

  get etag(): string {
    this.#etag ??= this.#tag();
    return this.#etag;
  }

  get size(): number {
    return this.#body.length;
  }

  plain(): Buffer {
    return this.#body;
  }

  gzipped(): Promise<readonly Buffer[]> {
    this.#gzipped ??= this.#compressed(this.#body);
    return this.#gzipped;
  }

  gzippedWithin(before: string, after: string): Promise<readonly Buffer[]> {
    return this.#compressed(Buffer.concat([Buffer.from(before), this.#body, Buffer.from(after)]));
  }

  async #compressed(body: Buffer): Promise<readonly Buffer[]> {
    return [await compress(body, { level: this.#level })];
  }
}

/** A response between two texts. */
class Enclosed extends Rendered {
  readonly #inner: Rendered;
  readonly #before: string;
  readonly #after: string;

  constructor(inner: Rendered, before: string, after: string) {
    super();
    this.#inner = inner;
    this.#before = before;
    this.#after = after;
  }

  get etag(): string {
    return this.#inner.etag;
  }

  get size(): number {
    return Buffer.byteLength(this.#before) + this.#inner.size + Buffer.byteLength(this.#after);
  }

  override chunks(): Buffer[] {
    return [Buffer.from(this.#before), ...this.#inner.chunks(), Buffer.from(this.#after)];
  }

  plain(): Buffer {
    return Buffer.concat(this.chunks());
  }

  gzipped(): Promise<readonly Buffer[]> {
    return this.#inner.gzippedWithin(this.#before, this.#after);
  }

  gzippedWithin(before: string, after: string): Promise<readonly Buffer[]> {
    return this.#inner.gzippedWithin(before + this.#before, this.#after + after);
  }
}

/** An output schema that also accepts a response that it has rendered before. The document shows the schema itself. */
export function orRendered<T extends z.ZodType>(output: T): T {
  const parse = (answer: unknown) => (answer instanceof Rendered ? answer : output.parse(answer));
  const schema: T = Object.create(output, {
    parse: { value: parse },
    parseAsync: { value: async (answer: unknown) => parse(answer) },
  });
  z.globalRegistry.add(schema, output.meta() ?? {});
  return schema;
}

/** A rendered response as the type of its value: its output schema was made with `orRendered`. */
export const answering = <T extends z.ZodType>(rendered: Rendered) => rendered as unknown as z.output<T>;

/** Cached data for responses: it belongs to one version and only grows. */
export interface CachedData {
  readonly version: number;
  /** The memory that it takes. */
  readonly bytes: number;
}

/** The memory that all cached boards of a process may take together. */
export const MEMORY_LIMITS = { cachedBoardsBytes: 64 * 1024 * 1024 };

/** Caches data for responses in bounded memory, and drops the least recently used entry first. */
export class ResponseCache {
  readonly #limitBytes: number;
  /** Least recently used first. */
  readonly #cached = new Map<string, { value: CachedData; bytes: number }>();
  /** The value that is being made; undefined if that fails. */
  readonly #making = new Map<string, Promise<CachedData | undefined>>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The memory that the whole cache takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value cached under a key; `undefined` if there is none. */
  of(key: string): CachedData | undefined {
    const entry = this.#cached.get(key);
    if (entry === undefined) return undefined;
    this.#cached.delete(key);
    this.#cached.set(key, entry);
    return entry.value;
  }

  /** The value cached under a key, or else the one that `make` makes: one call at a time, while the others wait for its value. */
  async cachedOr<Made extends { value: CachedData }>(
    key: string,
    make: () => Promise<Made>,
  ): Promise<{ cached: CachedData; made: null } | { cached: null; made: Made }> {
    for (;;) {
      const known = this.of(key) ?? this.#making.get(key);
      if (known === undefined) break;
      const cached = await known;
      if (cached !== undefined) return { cached, made: null };
    }
    // Nothing was awaited since the last look, so no other call makes it.
    const made = make();
    const value = made.then(
      (one) => one.value,
      () => undefined,
    );
    this.#making.set(
      key,
      value.finally(() => this.#making.delete(key)),
    );
    return { cached: null, made: await made };
  }

  /** Stores a value in place of an earlier version, and measures it again if it is stored already. */
  store(key: string, value: CachedData): void {
    const before = this.#cached.get(key);
    if (before !== undefined && before.value.version > value.version) return;
    this.#forget(key);
    const { bytes } = value;
    this.#cached.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#cached.get(key)?.bytes ?? 0;
    this.#cached.delete(key);
  }
}
