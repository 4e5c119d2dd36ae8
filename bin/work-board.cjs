#!/usr/bin/env node
// The command `work-board`. Its arguments are read in src/cli/.

require("./nodeVersion.cjs");

var path = require("node:path").join(__dirname, "../dist/cli/main.js");

if (require("node:fs").existsSync(path)) {
  import("../dist/cli/main.js");
} else {
  process.stderr.write("work-board is not built yet: run npm run build\n");
  process.exitCode = 1;
}
