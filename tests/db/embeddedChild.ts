// A process of its own for the tests of the embedded database: opens argv[2], says so, and with `write` inserts numbers for
// ever, printing each once it is committed; with `fill` it writes to the log until that fails, and ends.

import { openEmbedded } from "../../src/db/embedded.js";

const [, , dataDir = "", task] = process.argv;

try {
  const driver = await openEmbedded({ dataDir });
  console.log("open");
  while (task === "fill") {
    const text = "select pg_logical_emit_message(true, 'filling', repeat('x', 1000000))";
    await driver.transaction((tx) => tx.last(text, [], "array"));
  }
  setInterval(() => {}, 1000);
  for (let id = 1; task === "write"; id += 1) {
    await driver.transaction((tx) => tx.last("insert into written values ($1)", [id], "array"));
    console.log(id);
  }
} catch (error) {
  console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
