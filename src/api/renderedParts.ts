// Responses made of reusable pieces: a piece is hashed and compressed once, however many responses contain it.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { etagOfDigest } from "./etags.js";
import { DEFLATE_LEVEL, Rendered } from "./rendered.js";

const deflate = promisify(deflateRaw);
/** Handing less to another thread takes longer than compressing it. */
const DEFLATED_ELSEWHERE_FROM_BYTES = 16_384;

/** A part of a body. */
export class Piece {
  readonly bytes: Buffer;
  readonly digest: Buffer;
  readonly #level: number;
  #deflated: Promise<Buffer> | undefined;

  constructor(bytes: Buffer, level = DEFLATE_LEVEL) {
    this.bytes = bytes;
    this.#level = level;
    this.digest = createHash("sha256").update(bytes).digest();
  }

  /** The piece as deflate blocks that end on a whole byte and refer to no other data, so that other blocks can follow. */
  deflated(): Promise<Buffer> {
    const options = { level: this.#level, finishFlush: constants.Z_FULL_FLUSH };
    this.#deflated ??=
      this.bytes.length < DEFLATED_ELSEWHERE_FROM_BYTES
        ? Promise.resolve(deflateRawSync(this.bytes, options))
        : deflate(this.bytes, options);
    return this.#deflated;
  }
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty stored block, marked as the last one. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);
/** Shorter texts are stored uncompressed; a stored block can hold 64 KiB. */
const DEFLATED_FROM_BYTES = 512;

function storedBlock(bytes: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([header, bytes]);
}

/** A text of one response, or a piece that several responses share. */
type Part = string | Piece;

/** Turns texts that are worth compressing into pieces too. */
const prepared = (part: Part): Buffer | Piece => {
  if (part instanceof Piece) return part;
  const bytes = Buffer.from(part);
  return bytes.length < DEFLATED_FROM_BYTES ? bytes : new Piece(bytes);
};

const bytesOf = (part: Buffer | Piece): Buffer => (part instanceof Piece ? part.bytes : part);

const sizeOf = (chunks: readonly Buffer[]) => chunks.reduce((size, { length }) => size + length, 0);

const deflatedBlocks = (parts: readonly (Buffer | Piece)[]): Promise<Buffer[]> =>
  Promise.all(parts.map((part) => (part instanceof Piece ? part.deflated() : storedBlock(part))));

/** The checksum of bytes behind others whose sum is given. */
function checksumOf(chunks: readonly Buffer[], before = 0): number {
  // For no bytes `crc32` may answer 0, whatever came before.
  return chunks.reduce((sum, bytes) => (bytes.length > 0 ? crc32(bytes, sum) : sum), before);
}

function digestOf(parts: readonly Part[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part instanceof Piece ? part.digest : part);
  return hash.digest();
}

/** The beginning of a gzip member behind which other blocks may follow, and the checksum of its content. */
interface Begun {
  blocks: readonly Buffer[];
  sum: number;
}

/** The value under a text of which there are few, made on first use. */
function madeFor<T>(values: Map<string, T>, text: string, make: () => T): T {
  const value = values.get(text) ?? make();
  values.set(text, value);
  return value;
}

/** The beginning that several responses have in common: it is hashed, summed and compressed once. */
export class Beginning {
  readonly digest: Buffer;
  readonly chunks: readonly Buffer[];
  readonly size: number;
  readonly #parts: readonly (Buffer | Piece)[];
  /** By the text before it. */
  readonly #gzipped = new Map<string, Promise<Begun>>();

  constructor(parts: readonly Part[]) {
    this.digest = digestOf(parts);
    this.#parts = parts.map(prepared);
    this.chunks = this.#parts.map(bytesOf);
    this.size = sizeOf(this.chunks);
  }

  /** The beginning as gzip, behind a text of which there are few. */
  gzippedBehind(before: string): Promise<Begun> {
    return madeFor(this.#gzipped, before, () => begun([Buffer.from(before), ...this.#parts]));
  }
}

const begun = async (parts: readonly (Buffer | Piece)[]): Promise<Begun> => ({
  blocks: [Buffer.concat([GZIP_HEADER, ...(await deflatedBlocks(parts))])],
  sum: checksumOf(parts.map(bytesOf)),
});

/** All of a response that its entity tag counts: a beginning and further parts. Several responses may share it. */
export class CountedParts {
  readonly etag: string;
  readonly beginning: Beginning;
  readonly further: readonly (Buffer | Piece)[];
  readonly size: number;
  /** By the text before it. */
  readonly #gzipped = new Map<string, Promise<Begun>>();

  constructor(beginning: Beginning, further: readonly Part[]) {
    this.etag = etagOfDigest(
      createHash("sha256").update(beginning.digest).update(digestOf(further)).digest("base64url"),
    );
    this.beginning = beginning;
    this.further = further.map(prepared);
    this.size = beginning.size + sizeOf(this.further.map(bytesOf));
  }

  /** All of it as gzip, behind a text of which there are few. */
  gzippedBehind(before: string): Promise<Begun> {
    return madeFor(this.#gzipped, before, async () => {
      const [{ blocks, sum }, further] = await Promise.all([
        this.beginning.gzippedBehind(before),
        deflatedBlocks(this.further),
      ]);
      return { blocks: [...blocks, Buffer.concat(further)], sum: checksumOf(this.further.map(bytesOf), sum) };
    });
  }
}

/** A response made of parts, and of a text behind them that its entity tag does not count. */
export class RenderedParts extends Rendered {
  readonly #counted: CountedParts;
  readonly #uncounted: Buffer;

  constructor(counted: CountedParts, uncounted: string) {
    super();
    this.#counted = counted;
    this.#uncounted = Buffer.from(uncounted);
  }

  get etag(): string {
    return this.#counted.etag;
  }

  get size(): number {
    return this.#counted.size + this.#uncounted.length;
  }

  override chunks(): Buffer[] {
    const { beginning, further } = this.#counted;
    return [...beginning.chunks, ...further.map(bytesOf), this.#uncounted];
  }

  plain(): Buffer {
    return Buffer.concat(this.chunks(), this.size);
  }

  gzipped(): Promise<readonly Buffer[]> {
    return this.gzippedWithin("", "");
  }

  /** One gzip member, because browsers ignore further members. */
  async gzippedWithin(before: string, after: string): Promise<readonly Buffer[]> {
    const { blocks, sum } = await this.#counted.gzippedBehind(before);
    const end = Buffer.concat([this.#uncounted, Buffer.from(after)]);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(checksumOf([end], sum), 0);
    const size = Buffer.byteLength(before) + this.size + Buffer.byteLength(after);
    trailer.writeUInt32LE(size % 2 ** 32, 4);
    return [...blocks, Buffer.concat([storedBlock(end), LAST_BLOCK, trailer])];
  }
}
