#!/usr/bin/env node
// The command `work-board`. Its arguments are read in src/cli/.

require("./nodeVersion.cjs");
import("../dist/cli/main.js");
