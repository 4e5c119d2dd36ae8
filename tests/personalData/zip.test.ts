// Archives: whole, read no faster than they are taken, and given up with their reader.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { zipOf } from "../../src/personalData/zip.js";
import { unzipped } from "../helpers/archives.js";

const LINE_BYTES = 64 * 1024;
const LINES = 200;

/** A text that hardly compresses, line by line, which notes how many lines were read and whether it was given up. */
function long() {
  const seen = { lines: 0, hasEnded: false };
  async function* text() {
    try {
      for (; seen.lines < LINES; seen.lines += 1) yield randomBytes(LINE_BYTES / 2).toString("hex");
    } finally {
      seen.hasEnded = true;
    }
  }
  return { seen, file: { name: "long.txt", text } };
}

test("every file comes out as it was put in, an empty one too", async () => {
  const { file } = long();
  const emoji = "Grüße 🚀\n";
  const files = await unzipped(
    await buffer(
      zipOf([
        { name: "a.txt", text: () => [emoji, emoji] },
        file,
        { name: "empty.txt", text: () => [] },
        { name: "folder/last.json", text: () => ["[]"] },
      ]),
    ),
  );
  expect(Object.keys(files)).toEqual(["a.txt", "long.txt", "empty.txt", "folder/last.json"]);
  expect(files["a.txt"]).toBe(emoji + emoji);
  expect(files["long.txt"]).toHaveLength(LINES * LINE_BYTES);
  expect(files["empty.txt"]).toBe("");
});

test("nothing is read ahead of a reader by more than a little", async () => {
  const { seen, file } = long();
  const archive = zipOf([file]);
  await sleep(300);
  expect(seen.lines).toBeLessThan(LINES / 10);
  archive.destroy();
});

test("a reader that leaves ends the reading of the file that is being packed, and of none after it", async () => {
  const [first, second] = [long(), long()];
  const archive = zipOf([first.file, { ...second.file, name: "second.txt" }]);
  await once(archive, "readable");
  archive.destroy();
  await sleep(100);
  expect(first.seen).toMatchObject({ hasEnded: true });
  expect(first.seen.lines).toBeLessThan(LINES);
  expect(second.seen).toEqual({ lines: 0, hasEnded: false });
});

test("an error while a file is read is the error of the archive", async () => {
  async function* text() {
    yield "Begun";
    throw new Error("the disk is gone");
  }
  await expect(buffer(zipOf([{ name: "a.txt", text }]))).rejects.toThrow("the disk is gone");
});
