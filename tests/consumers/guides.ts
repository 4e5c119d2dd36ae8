// The examples of the guides, so that they are run as they stand there.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "./packing.js";

const HERE = /http:\/\/localhost:3000\b/g;

/** The part of a page below a heading, up to the next heading of the same or a higher level; the whole page without one. */
export function section(page: string, heading?: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  if (heading === undefined) return text;
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${page} has no heading ${heading}`);
  const level = heading.split(" ")[0]?.length ?? 0;
  const rest = text.slice(start + 1 + heading.length);
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  return end === -1 ? rest : rest.slice(0, end);
}

export function blocks(part: string, language: string): string[] {
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

/** The one code block of a language below a heading; it calls the service at `url`. */
export function example(page: string, heading: string, language: string, url: string): string {
  const [found, ...others] = blocks(section(page, heading), language);
  if (found === undefined || others.length > 0) throw new Error(`${page} has not one ${language} block in ${heading}`);
  return found.replace(HERE, url);
}

/** Each line printed is what the comment behind its `console.log` says, up to an ellipsis there. */
export function expectPrinted(output: string, program: string): void {
  const said = [...program.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text = ""]) => text.split("…")[0] ?? "");
  expect(said.length).toBeGreaterThan(0);
  const printed = output.trimEnd().split("\n");
  expect(printed.map((line, index) => line.slice(0, said[index]?.length))).toEqual(said);
}

/** The commands of a part of a page, with the service at `url`. */
const commandsIn = (part: string, url: string) => blocks(part, "sh").join("\n").replace(HERE, url);

/** What a part of a page shows as printed: JSON and text, but for what is cut short with an ellipsis. */
const answersIn = (part: string) =>
  [...blocks(part, "json"), ...blocks(part, "text")].filter((text) => !text.includes("…"));

/** The session in curl: that of getting-started.md, and the pages that continue it in the same shell; and what they show as printed. */
export function curlSession(url: string): { script: string; answers: string[] } {
  const pages = ["docs/getting-started.md", "docs/imports.md", "docs/streams.md"];
  const parts = pages.map((page) => section(page));
  return { script: parts.map((part) => commandsIn(part, url)).join("\n"), answers: parts.flatMap(answersIn) };
}

/** The commands that receive a webhook, after those of the session. */
export const webhookSession = (url: string): string => commandsIn(section("docs/webhooks.md"), url);

const GENERATED = "docs/generated-clients.md";

/** The command that generates a client, after those that install the generator, and the program that uses it. */
export const generatedClient = (url: string) => ({
  command: commandsIn(section(GENERATED, "## Generate"), url).trim().split("\n").at(-1) ?? "",
  program: example(GENERATED, "## Call", "ts", url),
});
