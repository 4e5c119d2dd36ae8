// ZIP archives that are made while they are sent: one file after the other, each read only as fast as the archive is.

import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";
import { DEFLATE_LEVEL } from "../api/rendered.js";

/** A file of an archive; its text is read when its turn comes. */
export interface ArchivedFile {
  name: string;
  text: () => AsyncIterable<string> | Iterable<string>;
}

/** Packs files. An error while one is read destroys the archive, and an archive that is destroyed stops reading. */
export function zipOf(files: readonly ArchivedFile[]): Readable {
  const zip = new ZipFile();
  const archive = new PassThrough();
  let beingRead: Readable | undefined;
  zip.on("error", (error) => archive.destroy(error));
  for (const { name, text } of files) {
    zip.addReadStreamLazy(name, { compressionLevel: DEFLATE_LEVEL }, (begin) => {
      beingRead = Readable.from(text());
      beingRead.once("error", (error) => archive.destroy(error));
      begin(null, beingRead);
    });
  }
  zip.end();
  zip.outputStream.pipe(archive);
  archive.once("close", () => beingRead?.destroy());
  return archive;
}
