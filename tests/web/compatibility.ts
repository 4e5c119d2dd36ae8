// The features of browsers that built scripts and styles use, in the compatibility data of MDN, and the browsers that lack them.

import type { BrowserName, CompatData, Identifier, SimpleSupportStatement } from "@mdn/browser-compat-data";
import data from "@mdn/browser-compat-data/forLegacyNode";
import postcss, { type Declaration, type Node } from "postcss";
import ts from "typescript";
import { BROWSERS } from "../../packages/web/browsers.js";

const { api, css, html, javascript }: CompatData = data;
const builtins = javascript.builtins ?? {};

/** Features by their names in messages; several where a script does not say of which interface a member is. */
export type Uses = Map<string, readonly Identifier[]>;

const at = (from: Identifier | undefined, name: string): Identifier | undefined =>
  from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;

const partsOf = (group: Identifier | undefined): (Identifier | undefined)[] =>
  Object.keys(group ?? {}).map((name) => at(group, name));

/** Follows names from a group of the data to one feature. */
export const featureAt = (group: "css" | "api", ...names: string[]): Identifier | undefined =>
  names.reduce<Identifier | undefined>(at, data[group]);

/** Whether a version is at most another one; 17.10 is later than 17.4. */
const isAtMost = (version: string, other: string): boolean =>
  version.replace("≤", "").localeCompare(other, "en", { numeric: true }) <= 0;

/** Whether a browser has a feature in a version; true if the data do not know it. */
export function isIn(feature: Identifier, browser: BrowserName, version: string): boolean {
  const isFull = ({ version_removed, flags, alternative_name, prefix }: SimpleSupportStatement) =>
    [version_removed, flags, alternative_name, prefix].every((limit) => limit === undefined);
  const support = feature.__compat?.support[browser];
  if (support === undefined) return true;
  return [support]
    .flat()
    .some((one) => isFull(one) && one.version_added !== false && isAtMost(one.version_added, version));
}

/** The supported browsers whose oldest version lacks a feature, such as "safari_ios". */
const lackedBy = (feature: Identifier): BrowserName[] =>
  BROWSERS.flatMap(({ data, version }) => data.filter((browser) => !isIn(feature, browser, version)));

/** The features that are lacked, with the browsers that lack them. A member is lacked if it is lacked in every interface. */
export function lackedOf(uses: Uses): Record<string, string> {
  const lacked: Record<string, string> = {};
  for (const [name, features] of uses) {
    const browsers = features.map(lackedBy);
    const [first] = browsers;
    if (first !== undefined && browsers.every(({ length }) => length > 0)) lacked[name] = first.join(" ");
  }
  return lacked;
}

const add = (uses: Uses, name: string, ...features: (Identifier | undefined)[]) => {
  const known = features.filter((feature) => feature?.__compat !== undefined) as Identifier[];
  if (known.length > 0) uses.set(name, known);
};

/** Adds a declaration: its property, else its keywords, and its functions. Properties beside one with their prefix count as known. */
function addDeclaration(uses: Uses, { prop, value, parent }: Declaration): void {
  const isPrefixed = parent?.some(
    (node) => node.type === "decl" && /^-\w+-/.test(node.prop) && node.prop.endsWith(prop),
  );
  const property = at(css.properties, prop);
  if (!prop.startsWith("-") && !isPrefixed) add(uses, prop, property);
  if (property !== undefined && lackedBy(property).length === 0) {
    for (const [word] of value.matchAll(/(?<![\w-])[a-z][a-z-]+(?![\w(-])/g))
      add(uses, `${prop}: ${word}`, at(property, word));
  }
  for (const [, name = ""] of value.matchAll(/(?<![\w-])([a-z][a-z-]+)\(/g))
    add(
      uses,
      `${name}()`,
      at(property, name),
      at(css.types, name),
      ...partsOf(css.types).map((type) => at(type, name)),
    );
}

const isSupports = (node: Node | undefined): boolean =>
  node?.type === "atrule" && "name" in node && node.name === "supports";
const hasFallback = (node: Node): boolean =>
  isSupports(node) || (node.parent !== undefined && hasFallback(node.parent));

/** Adds the features of a style sheet but for what stands in `@supports`, which has its fallback. */
export function addStyles(uses: Uses, text: string): void {
  postcss.parse(text).walk((node) => {
    if (hasFallback(node)) return;
    if (node.type === "decl") addDeclaration(uses, node);
    if (node.type === "atrule") {
      add(uses, `@${node.name}`, at(css["at-rules"], node.name));
      for (const [, name = ""] of node.params.matchAll(/\(\s*([a-z-]+)/g))
        add(uses, `@media (${name})`, at(at(css["at-rules"], "media"), name));
    }
    if (node.type === "rule") {
      for (const [, name = ""] of node.selector.matchAll(/:([a-z-]+)/g)) add(uses, `:${name}`, at(css.selectors, name));
      if (node.selector.includes("&")) add(uses, "&", at(css.selectors, "nesting"));
    }
  });
}

const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** The members of all interfaces, of styles, and the attributes of elements, by name. */
const members = new Map<string, Identifier[]>();
const addMembers = (group: Identifier | undefined, keyOf: (name: string) => string) => {
  for (const name of Object.keys(group ?? {})) {
    const feature = at(group, name);
    if (name === "__compat" || feature === undefined) continue;
    members.set(keyOf(name), [...(members.get(keyOf(name)) ?? []), feature]);
  }
};
for (const group of [...partsOf(api), ...partsOf(builtins), css.properties])
  addMembers(group, (name) => `.${camelCase(name)}`);
for (const group of [html.global_attributes, ...partsOf(html.elements)])
  addMembers(group, (name) => `=${name.toLowerCase()}`);

/** Names of one word are also those of things of the page, such as `path`: only names of several words are looked up in all interfaces. */
const isCompound = (name: string) => /[a-z][A-Z]/.test(name);

function addNode(uses: Uses, node: ts.Node): void {
  if (ts.isPropertyAccessExpression(node)) {
    const { expression, name } = node;
    const owner = ts.isIdentifier(expression) ? expression.text : "";
    const group = at(api, owner) ?? at(builtins, owner);
    const own = at(group, `${name.text}_static`) ?? at(group, name.text);
    if (own !== undefined) add(uses, `${owner}.${name.text}`, own);
    else if (isCompound(name.text)) add(uses, `.${name.text}`, ...(members.get(`.${name.text}`) ?? []));
  } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && isCompound(node.name.text)) {
    add(uses, `${node.name.text}:`, ...(members.get(`=${node.name.text.toLowerCase()}`) ?? []));
  } else if (ts.isIdentifier(node) && /^[A-Z]\w{2}/.test(node.text) && !ts.isPropertyAccessExpression(node.parent)) {
    add(uses, node.text, at(api, node.text) ?? at(builtins, node.text));
  }
}

/** Adds the features of a script but for its syntax, which the build lowers. */
export function addScript(uses: Uses, text: string): void {
  const visit = (node: ts.Node): void => {
    addNode(uses, node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("script.js", text, ts.ScriptTarget.Latest, true));
}
