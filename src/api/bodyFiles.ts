// The files into which large bodies are received. Each loses its name as soon as it is open: nobody else can open it, and the system
// removes it once it is closed or the process has ended, however it ends.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, readSync, type WriteStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "work-board-body-";

/** A file without a name. `stream` writes to it and, when destroyed, closes it. */
export interface BodyFile {
  stream: WriteStream;
  /** Reads the file in any thread of the process. */
  fd: number;
}

/** Makes a file in the system's directory for temporary files. */
export async function makeBodyFile(): Promise<BodyFile> {
  const path = join(tmpdir(), `${PREFIX}${randomUUID()}`);
  const stream = createWriteStream(path, { flags: "wx+", mode: 0o600, autoClose: false });
  const [fd] = (await once(stream, "open")) as [number];
  try {
    await rm(path, { force: true });
    return { stream, fd };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Removes what a process left that ended between making a file and removing its name. Files of other users stay. */
export async function removeLeftBodyFiles(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    if (name.startsWith(PREFIX)) await rm(join(tmpdir(), name), { force: true }).catch(() => {});
  }
}

/** The first bytes of a file. */
export function readBodyFile(fd: number, size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let read = 0; read < size; ) {
    const count = readSync(fd, bytes, read, size - read, read);
    if (count === 0) throw new Error("The file of a body is shorter than the body");
    read += count;
  }
  return bytes;
}
