// What a run of the tests came to, for `.ci/run`: writes what passed and what failed, and why, to the file of TEST_REPORT, and names
// the tests that passed only when they were tried again, and the files that took longest.

import { writeFileSync } from "node:fs";

const LONGEST_FILES = 20;
const seconds = (ms) => (ms / 1000).toFixed(1);
const firstLine = (errors) => String(errors[0]?.message ?? "no error").split("\n")[0];

/** A reporter of Vitest. */
export default class Report {
  onTestRunEnd(files, errors) {
    let passed = 0;
    const failed = errors.length > 0 ? [`outside of tests: ${firstLine(errors)}`] : [];
    const triedAgain = [];
    for (const file of files) {
      const failedHere = [];
      for (const test of file.children.allTests()) {
        const { state, errors: why = [] } = test.result();
        const name = `${file.relativeModuleId} > ${test.fullName}`;
        if (state === "passed") passed += 1;
        if (state === "failed") failedHere.push(`${name}: ${firstLine(why)}`);
        if (test.diagnostic()?.flaky) triedAgain.push(name);
      }
      // A file that fails without a failed test, as by an error of its set-up, counts as one failure.
      const isWithout = failedHere.length === 0 && file.state() === "failed";
      failed.push(...(isWithout ? [`${file.relativeModuleId}: ${firstLine(file.errors())}`] : failedHere));
    }
    const timed = files.map((file) => ({ name: file.relativeModuleId, ms: file.diagnostic().duration }));
    const longest = timed.sort((a, b) => b.ms - a.ms).slice(0, LONGEST_FILES);
    console.log(`Longest files:\n${longest.map(({ name, ms }) => `  ${seconds(ms)} s  ${name}`).join("\n")}`);
    for (const name of triedAgain) console.log(`Failed once, then passed: ${name}`);
    if (process.env.TEST_REPORT) {
      writeFileSync(process.env.TEST_REPORT, JSON.stringify({ passed, failed, triedAgain }));
    }
  }
}
