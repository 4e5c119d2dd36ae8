// Responses made of reusable pieces: a piece is hashed and compressed once, however many responses contain it.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import { etagOfDigest } from "./etags.js";
import { DEFLATE_LEVEL, Rendered } from "./rendered.js";

const deflate = promisify(deflateRaw);

/** A part of a body. */
export class Piece {
  readonly bytes: Buffer;
  readonly digest: Buffer;
  #deflated: Promise<Buffer> | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.digest = createHash("sha256").update(bytes).digest();
  }

  /** The piece as deflate blocks that end on a whole byte and refer to no other data, so that other blocks can follow. */
  deflated(): Promise<Buffer> {
    this.#deflated ??= deflate(this.bytes, { level: DEFLATE_LEVEL, finishFlush: constants.Z_FULL_FLUSH });
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

/** The checksum of concatenated parts. */
function checksumOf(parts: readonly (Buffer | Piece)[]): number {
  let sum = 0;
  // For no bytes `crc32` may answer 0, whatever came before.
  for (const part of parts.filter(hasBytes)) sum = crc32(bytesOf(part), sum);
  return sum;
}

/** A response made of parts in order. Its entity tag is calculated from the texts and the digests of the pieces. */
export class RenderedParts extends Rendered {
  readonly etag: string;
  readonly size: number;
  readonly #parts: readonly (Buffer | Piece)[];
  #plain: Buffer | undefined;
  /** By the texts around the body. */
  readonly #gzipped = new Map<string, Promise<Buffer>>();

  constructor(parts: readonly Part[]) {
    super();
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part instanceof Piece ? part.digest : part);
    this.etag = etagOfDigest(hash.digest("base64url"));
    this.#parts = parts.map(prepared);
    this.size = this.#parts.reduce((size, part) => size + bytesOf(part).length, 0);
  }

  plain(): Buffer {
    this.#plain ??= Buffer.concat(this.#parts.map(bytesOf), this.size);
    return this.#plain;
  }

  gzipped(): Promise<Buffer> {
    return this.gzippedWithin("", "");
  }

  gzippedWithin(before: string, after: string): Promise<Buffer> {
    const key = JSON.stringify([before, after]);
    const gzipped =
      this.#gzipped.get(key) ?? gzip([Buffer.from(before), ...this.#parts, Buffer.from(after)].filter(hasBytes));
    this.#gzipped.set(key, gzipped);
    return gzipped;
  }
}

const hasBytes = (part: Buffer | Piece): boolean => bytesOf(part).length > 0;

/** One gzip member, because browsers ignore further members. */
async function gzip(parts: readonly (Buffer | Piece)[]): Promise<Buffer> {
  const blocks = await Promise.all(parts.map((part) => (part instanceof Piece ? part.deflated() : storedBlock(part))));
  const size = parts.reduce((sum, part) => sum + bytesOf(part).length, 0);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksumOf(parts), 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  return Buffer.concat([GZIP_HEADER, ...blocks, LAST_BLOCK, trailer]);
}
