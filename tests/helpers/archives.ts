// Reads ZIP archives with another library than the service writes them with.

import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { fromBufferPromise } from "yauzl";

export const ZIP_TYPE = "application/zip";

/** The texts of the files in an archive, by name. Throws where the archive is not whole, or a file not what its checksum says. */
export async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const archive = await fromBufferPromise(bytes);
  const files: Record<string, string> = {};
  for await (const entry of archive.eachEntry()) {
    const content = await text(await archive.openReadStreamPromise(entry));
    if (crc32(content) !== entry.crc32) throw new Error(`${entry.fileName} is damaged`);
    files[entry.fileName] = content;
  }
  return files;
}
