// Checks that each text of the page has an element of its own. Translators of browsers replace the nodes of texts: React then fails
// to insert an element before such a text, to remove it or to change it. A text that is the only child of an element is safe, because
// React sets the content of the element. `npm run check` runs it, after the client has been built.

import { fileURLToPath } from "node:url";
import ts from "typescript";

const PAGE = fileURLToPath(new URL("../packages/web", import.meta.url));

const { config } = ts.readConfigFile(`${PAGE}/tsconfig.json`, ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, PAGE);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);
/** Whether a type is that of a place for anything that React renders. Callers put no text there. */
const isSlot = (type: ts.Type) => partsOf(type).some(({ flags }) => flags & ts.TypeFlags.BigInt);

function isText(type: ts.Type): boolean {
  if (isSlot(type)) return false;
  return partsOf(type).some((part) => {
    const item = checker.getIndexTypeOfType(part, ts.IndexKind.Number);
    if (part.flags & ts.TypeFlags.StringLike) return !part.isStringLiteral() || part.value !== "";
    return part.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.Any) || (item !== undefined && isText(item));
  });
}

const isBlank = (child: ts.JsxChild) =>
  (ts.isJsxText(child) && child.containsOnlyTriviaWhiteSpaces) || (ts.isJsxExpression(child) && !child.expression);
const isTextAt = (node: ts.Node | undefined): boolean => {
  if (node === undefined) return false;
  if (ts.isJsxText(node) || ts.isStringLiteral(node)) return true;
  if (ts.isJsxExpression(node)) return isTextAt(node.expression);
  return ts.isExpression(node) && isText(checker.getTypeAtLocation(node));
};

const isListAt = (child: ts.JsxChild) =>
  ts.isJsxExpression(child) &&
  child.expression !== undefined &&
  checker.isArrayType(checker.getTypeAtLocation(child.expression));

/** The places for anything that a component of the page has, by the names of its properties. */
function slotsOf(element: ts.JsxOpeningLikeElement): ReadonlySet<string> {
  const name = checker.getSymbolAtLocation(element.tagName);
  const component = name && name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
  const declared = component?.declarations?.[0]?.getSourceFile().fileName;
  const props = checker.getResolvedSignature(element)?.parameters[0];
  if (props === undefined || declared?.startsWith(`${PAGE}/src/`) !== true) return new Set();
  const all = checker.getPropertiesOfType(checker.getTypeOfSymbol(props));
  return new Set(
    all.filter((one) => one.name !== "key" && isSlot(checker.getTypeOfSymbol(one))).map((one) => one.name),
  );
}

/** The bare texts that an element or fragment has. */
function bareTextsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
    const children = node.children.filter((child) => !isBlank(child));
    const isAlone = ts.isJsxElement(node) && children.length === 1 && !slotsOf(node.openingElement).has("children");
    return children.filter((child) => isTextAt(child) && !(isAlone && !isListAt(child)));
  }
  if (!ts.isJsxAttribute(node)) return [];
  const slots = slotsOf(node.parent.parent);
  return slots.has(node.name.getText()) && isTextAt(node.initializer) ? [node] : [];
}

const faults: string[] = [];
for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(`${PAGE}/src/`)) continue;
  const nodes: ts.Node[] = [file];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    for (const text of bareTextsOf(node)) {
      const { line } = file.getLineAndCharacterOfPosition(text.getStart());
      faults.push(`${file.fileName.slice(PAGE.length + 1)}:${line + 1} ${text.getText().trim()}`);
    }
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}
for (const fault of faults) console.error(`A text without an element of its own: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
