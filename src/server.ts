// Starts the service, on a Node that can load it: an old one ends with one line.

import "../bin/nodeVersion.cjs";

void import("./process.js");
