// Checks names and comments: no identifier, file name or heading has a word that only this project would understand in that sense,
// and no comment of the sources begins as a question without an answer. `npm run check` runs it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import ts from "typescript";

/** Each with what to say instead. */
const PRIVATE_WORDS = new Map([
  ["way", "slot, position or path"],
  ["lane", "queue"],
  ["tail", "log follower, or suffix"],
  ["feed", "commit signal"],
  ["tell", "notify, note or report"],
  ["told", "notification, event or report"],
  ["settled", "row or conflict"],
  ["reach", "run once"],
  ["deed", "actor or operation"],
  ["terms", "request options"],
  ["prove", "verify"],
  ["proven", "verified"],
  ["blind", "without access"],
  ["sight", "access"],
]);
/** Names that are not ours, and "terms" of a search, which is the standard word. */
const ALLOWED = new Set(["allSettled", "PromiseSettledResult", "onSettled", "searchTerms"]);

const TYPESCRIPT = /\.tsx?$/;

const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

const singular = (word: string) => (PRIVATE_WORDS.has(word) ? word : word.replace(/s$/, ""));
const privateWordIn = (name: string) =>
  ALLOWED.has(name)
    ? undefined
    : wordsOf(name)
        .map(singular)
        .find((word) => PRIVATE_WORDS.has(word));

/** The identifiers of a TypeScript file, with their lines. */
function* identifiersIn(path: string, text: string): Generator<{ name: string; line: number }> {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      yield { name: node.text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 };
    }
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}

function* headingsIn(text: string): Generator<{ name: string; line: number }> {
  let isCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("```")) isCode = !isCode;
    if (!isCode && line.startsWith("#")) yield { name: line, line: index + 1 };
  }
}

/** A comment that begins with one of these words is a clause, not a sentence: it needs a noun. */
const CLAUSE = /^(What|Whose|Whom|Where|How)\b/;
/** The folders whose comments are checked. */
const COMMENTED = /^(src|packages|scripts|bench|drills)\//;

/** The first lines of the comments of a TypeScript file. */
function* commentsIn(text: string): Generator<{ words: string; line: number }> {
  let before = "";
  for (const [index, line] of text.split("\n").entries()) {
    const [, mark, words = ""] = /^\s*(\/\*\*|\/\/|\*) (.*)/.exec(line) ?? [];
    const isFirst = mark === "/**" || (mark === "//" && !before.startsWith("//")) || (mark === "*" && before === "/**");
    if (isFirst) yield { words, line: index + 1 };
    before = line.trim();
  }
}

function* namesIn(path: string): Generator<{ name: string; line: number }> {
  yield { name: path.replace(/\.[a-z]+$/, ""), line: 0 };
  if (TYPESCRIPT.test(path)) yield* identifiersIn(path, readFileSync(path, "utf8"));
  if (extname(path) === ".md") yield* headingsIn(readFileSync(path, "utf8"));
}

const found = new Set<string>();
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
for (const path of files.split("\n").filter((name) => /\.(tsx?|md|cjs|mjs)$/.test(name))) {
  for (const { name, line } of namesIn(path)) {
    const word = privateWordIn(name);
    if (word !== undefined) found.add(`${path}:${line}: ${name}: "${word}" should be ${PRIVATE_WORDS.get(word)}`);
  }
}
for (const path of files.split("\n").filter((name) => COMMENTED.test(name) && TYPESCRIPT.test(name))) {
  for (const { words, line } of commentsIn(readFileSync(path, "utf8"))) {
    if (CLAUSE.test(words)) found.add(`${path}:${line}: "${words}" is no sentence: name the thing`);
  }
}
if (found.size > 0) {
  console.error([...found].join("\n"));
  process.exitCode = 1;
} else {
  console.log("No private words in names and headings, and no clauses as comments.");
}
