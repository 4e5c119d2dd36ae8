// The examples of README.md, so that they are run as they stand there.

import { readFileSync } from "node:fs";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const HERE = /http:\/\/localhost:3000\b/g;

/** The part from one heading up to the next that is given. */
function between(from: string, to: string): string {
  const start = readme.indexOf(`\n${from}\n`);
  const end = readme.indexOf(`\n${to}\n`, start);
  if (start === -1 || end === -1) throw new Error(`README.md has no ${start === -1 ? from : to}`);
  return readme.slice(start, end);
}

function blocks(part: string, language: string): string[] {
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

const at = (url: string) => (text: string) => text.replace(HERE, url);

/** The session in curl, up to the streams, which have no end, and the JSON that it shows as answers. */
export const curlSession = (url: string) => {
  const part = between("## A first session", "### Follow what changes");
  return { script: blocks(part, "sh").map(at(url)).join("\n"), answers: blocks(part, "json") };
};

/** The commands that receive a webhook, after those of the session. */
export const webhookSession = (url: string) =>
  blocks(between("### Hear of changes by webhook", "### From TypeScript"), "sh").map(at(url)).join("\n");

/** The command that generates a client, and the program that uses it. */
export const generatedClient = (url: string) => {
  const part = between("### From a generated client", "## A tour of `src/`");
  return { command: blocks(part, "sh").map(at(url)).join("\n"), program: blocks(part, "ts").map(at(url)).join("\n") };
};
