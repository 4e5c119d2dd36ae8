// Fields that cards got after the first version are missing in older board files.

import { expect, test } from "vitest";
import { FileCard } from "../../src/board/file.js";
import { FILED_FIELDS } from "../../src/card/model/cardFields.js";

/** The fields in files of the first version. */
const FIRST: readonly string[] = ["title", "description", "dueDate", "completedAt", "priority"];

test.each(FILED_FIELDS)("%s may be missing in a board file only if the first version lacked it", (name) => {
  expect(FileCard.shape[name].safeParse(undefined).success).toBe(!FIRST.includes(name));
});
