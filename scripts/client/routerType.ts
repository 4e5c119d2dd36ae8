// Rewrites the declarations of the router for those who only call it: nothing of the server is named in them, and procedures and
// fields carry the texts of the document.

import ts from "typescript";
import type { Documented, Schema } from "./documented.js";

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The server's parts in the declaration of each procedure, and their replacements. */
const REPLACED: Record<string, string> = { ctx: "object", meta: "object", errorShape: "ErrorShape" };

const ISSUE = "{ path: (string | number)[]; message: string }";

/** A comment as documentation tools read it, on lines of its own. */
function comment(paragraphs: readonly string[], indent: string): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== "")
    .join("\n\n")
    .replaceAll("*/", "*\\/")
    .split("\n");
  if (lines.length === 1) return `/** ${lines[0]} */\n${indent}`;
  return `/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n${indent}`;
}

/** The members of a type literal that have a name. */
function* propertiesOf(node: ts.TypeLiteralNode): Generator<[string, ts.PropertySignature, ts.TypeNode]> {
  for (const member of node.members) {
    const isNamed = ts.isPropertySignature(member) && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name));
    if (isNamed && member.type !== undefined) yield [member.name.text, member, member.type];
  }
}

/** Whether a type holds others of one kind: an array or a record. */
const hasElements = (node: ts.Node) =>
  ts.isArrayTypeNode(node) || (ts.isTypeReferenceNode(node) && node.typeName.getText() === "Record");

const elementsOf = (schema: Schema): Schema =>
  [...schema.variants()].map((variant) => variant.elements).find((elements) => elements !== undefined) ?? schema;

const isLiteral = (type: ts.TypeNode, value: unknown) => type.getText() === JSON.stringify(value);

/** Rewrites one file of declarations; what it changes is collected and made at the end. */
class Rewriting {
  readonly #file: ts.SourceFile;
  readonly #operations: ReadonlyMap<string, Documented>;
  readonly #edits: Edit[] = [];
  readonly #documented = new Set<string>();
  #errorShape = "";

  constructor(declarations: string, operations: ReadonlyMap<string, Documented>) {
    this.#file = ts.createSourceFile("router.d.ts", declarations, ts.ScriptTarget.Latest, true);
    this.#operations = operations;
  }

  /** The text after all edits, below the types that it names. Throws where a procedure or an operation has no counterpart. */
  rewritten(errorCodes: readonly string[]): string {
    this.#router(this.#file, []);
    const missing = [...this.#operations.keys()].filter((path) => !this.#documented.has(path));
    if (missing.length > 0) throw new Error(`The router's type has no ${missing.join(", ")}`);
    let text = this.#file.text;
    for (const { start, end, text: put } of this.#edits.sort((a, b) => b.start - a.start)) {
      text = text.slice(0, start) + put + text.slice(end);
    }
    const codes = errorCodes.map((code) => JSON.stringify(code)).join(" | ");
    const shape = this.#errorShape
      .replace('import("./api/errors.js").ErrorCode', codes)
      .replace('import("./api/errors.js").Issue', ISSUE);
    return `type ErrorShape = ${shape};\n${text.replace("export declare const", "declare const")}`;
  }

  /** Finds routers within routers, and the procedures of each. */
  #router(node: ts.Node, path: readonly string[]): void {
    if (!ts.isTypeLiteralNode(node)) {
      ts.forEachChild(node, (child) => this.#router(child, path));
      return;
    }
    for (const [name, member, type] of propertiesOf(node)) {
      const replaced = REPLACED[name];
      const procedure = this.#operations.get([...path, name].join("."));
      if (replaced !== undefined) this.#replace(name, type, replaced);
      else if (procedure === undefined) this.#router(type, [...path, name]);
      else this.#procedure([...path, name].join("."), procedure, member, type);
    }
  }

  #replace(name: string, type: ts.TypeNode, text: string): void {
    if (name === "errorShape") this.#errorShape ||= type.getText(this.#file).replace(/\s+/g, " ");
    this.#edits.push({ start: type.getStart(this.#file), end: type.getEnd(), text });
  }

  #procedure(path: string, documented: Documented, member: ts.PropertySignature, type: ts.TypeNode): void {
    this.#documented.add(path);
    const { summary, description, rest, input, output } = documented;
    this.#comment(member, [`${summary}.`, description, `REST: \`${rest}\``]);
    const [definition] = ts.isImportTypeNode(type) ? (type.typeArguments ?? []) : [];
    if (definition === undefined || !ts.isTypeLiteralNode(definition)) throw new Error(`${path} is no procedure`);
    for (const [name, , part] of propertiesOf(definition)) {
      const replaced = REPLACED[name];
      if (replaced !== undefined) this.#replace(name, part, replaced);
      else if (name === "input") this.#fields(part, input);
      else if (name === "output") this.#fields(part, output);
    }
  }

  /** Comments the fields of the objects in a type by its schema. */
  #fields(node: ts.Node, schema: Schema): void {
    if (ts.isTypeLiteralNode(node)) this.#literal(node, schema);
    else ts.forEachChild(node, (child) => this.#fields(child, hasElements(node) ? elementsOf(schema) : schema));
  }

  /** If the schema has alternatives, the fields are those of the one that fits. */
  #literal(node: ts.TypeLiteralNode, schema: Schema): void {
    const properties = [...propertiesOf(node)];
    const variants = [...schema.variants()];
    const fitting = variants.filter((variant) =>
      properties.every(([name, , type]) => {
        const field = variant.property(name);
        return field !== undefined && (field.constant === undefined || isLiteral(type, field.constant));
      }),
    );
    for (const [name, member, type] of properties) {
      const field = [...fitting, ...variants].find((variant) => variant.property(name))?.property(name);
      if (field === undefined) continue;
      if (field.description !== undefined) this.#comment(member, [field.description]);
      this.#fields(type, field);
    }
  }

  #comment(member: ts.PropertySignature, paragraphs: readonly string[]): void {
    const start = member.getStart(this.#file);
    const { character } = this.#file.getLineAndCharacterOfPosition(start);
    this.#edits.push({ start, end: start, text: comment(paragraphs, " ".repeat(character)) });
  }
}

/** The router's type for callers: its declarations without the server, with the document's texts as comments. */
export function routerType(
  declarations: string,
  errorCodes: readonly string[],
  operations: ReadonlyMap<string, Documented>,
): string {
  return new Rewriting(declarations, operations).rewritten(errorCodes);
}
