// The guides: what they refer to exists.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FILE_LIMITS } from "../src/board/file.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

/** A page without its code blocks, where `#` begins comments and brackets are no links. */
const proseOf = (page: string) => read(page).replace(/^```[\s\S]*?^```$/gm, "");

/** The names by which links lead to the headings of a page, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

/** What each link of a page leads to, but for other sites. */
const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((to) => !/^https?:/.test(to));

/** Whether a link of a page leads to a file, and to a heading of it where it names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

describe.each(pages)("%s", (page) => {
  test("links to files and headings that exist", () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  test("names files of the repository that exist", () => {
    const FOLDERS = "src|tests|docs|drills|bench|scripts|examples|packages|migrations";
    const named = [...proseOf(page).matchAll(new RegExp(`\`((?:${FOLDERS})/[\\w./-]*)\``, "g"))];
    expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("names scripts of package.json that exist", () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read("package.json"));
    const named = [...read(page).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts) && name !== "drill:NAME")).toEqual([]);
  });
});

test("the links between the pages are found", () => {
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(20);
});

test("README.md links to every guide, and has at most 160 lines", () => {
  const linked = linksOf("README.md");
  expect(pages.filter((page) => page.startsWith("docs/") && !linked.includes(page))).toEqual([]);
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(161);
});

test("the first session of README.md is that of the first guide, which is also served without README.md", () => {
  const [session = ""] = /^```sh\napi=[\s\S]*?^```$/m.exec(read("README.md")) ?? [];
  expect(session).toContain("/auth/sign-up");
  expect(read("docs/getting-started.md")).toContain(session);
});

test("the tour names files of each folder that exist", () => {
  const tour = read("docs/architecture.md");
  const sections = tour.split(/^## /m).slice(1);
  const missing = sections.flatMap((section) => {
    const [, folder = ""] = /^\d\. `([\w]+\/)`/.exec(section) ?? [];
    const inline = section.replace(/^```[\s\S]*?^```$/gm, "");
    const named = [...inline.matchAll(/`([\w/]+\.ts)`/g)].map(([, name = ""]) => name);
    const folders = [...inline.matchAll(/`(\w+)\/`/g)].map(([, name = ""]) => name);
    return named.filter(
      (name) =>
        ![folder, "", ...folders.map((one) => `${one}/`)].some(
          (at) => existsSync(join(ROOT, "src", at, name)) || existsSync(join(ROOT, name)),
        ),
    );
  });
  expect(missing).toEqual([]);
});

test("docs/settings.md lists every setting", () => {
  const settings = [...read("src/config.ts").matchAll(/^ {2,4}([A-Z_]+): variable\(/gm)].map(([, name = ""]) => name);
  expect(settings.length).toBeGreaterThan(10);
  const [table = ""] = read("docs/settings.md").split("\n## ");
  const listed = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  expect(settings.filter((name) => !listed.includes(name))).toEqual([]);
});

test("the guide of limits has the limits of files that an import reads", () => {
  const guide = read("docs/limits.md").replace(/(\d) (?=\d)/g, "$1");
  for (const [what, limit] of Object.entries(FILE_LIMITS)) expect(guide, what).toMatch(new RegExp(`\\| ${limit} \\|`));
});
