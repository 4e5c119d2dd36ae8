// Ends the process with one line where Node is older than package.json asks for. Required before anything else is loaded, and
// in syntax that old releases can parse.

var required = require("../package.json").engines.node.replace(">=", "");
var minimum = required.split(".").map(Number);
var actual = process.versions.node.split(".").map(Number);

if (actual[0] < minimum[0] || (actual[0] === minimum[0] && actual[1] < minimum[1])) {
  process.stderr.write(`work-board needs Node ${required} or newer; this is Node ${process.versions.node}\n`);
  process.exit(1);
}
