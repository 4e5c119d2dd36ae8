// A valid input for any operation, made from its schema, and from one table where a schema cannot tell.

import { z } from "zod";
import { type Operation, operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import type { Make, Person } from "./make.js";

/** Every operation of the service that is served over REST. */
export const operations = operationsOf(appRouter);

const has = (path: string) => operations.some((operation) => operation.path === path);

/** What a field's pattern wants, by the field's name, or by `operation.field` where one name means two things. */
const VALUES: Record<string, unknown> = {
  email: "sample@example.org",
  image: "https://example.org/picture.png",
  callLink: "https://example.org/call",
  url: "https://example.org/hook",
  slug: "a-slug",
  workspaceSlug: "a-slug",
  boardSlug: "a-slug",
  cardPrefix: "AB1",
  colourCode: "#1f6feb",
  expiresAt: "2099-01-31T10:00:00.000Z",
  dueDate: "2027-01-31T10:00:00.000Z",
  scheduledAt: "2027-01-31T10:00:00.000Z",
  from: "2027-01-01",
  to: "2027-02-01",
  anchor: "2027-01-31",
  month: "2027-01",
  timeZone: "Europe/Rome",
  events: ["card.*"],
  // But for `board`, which has no meaning beside `boardPublicId`.
  "import.csv.mapping": {
    title: 0,
    description: 0,
    list: 0,
    labels: 0,
    dueDate: 0,
    assignee: 0,
    checklist: 0,
  },
  "import.board.board": {
    format: "work-board/board",
    version: 1,
    name: "Sample",
    slug: "sample",
    visibility: "workspace",
    tags: [{ name: "Sample", colourCode: "#1f6feb" }],
    people: [{ publicId: "person000001", name: "Ada", email: "ada@example.org" }],
    memberPublicIds: ["person000001"],
    labels: [{ publicId: "label0000001", name: "Sample", colourCode: "#1f6feb" }],
    lists: [{ publicId: "list00000001", name: "Sample" }],
    cards: [
      {
        publicId: "card00000001",
        cardNumber: 1,
        listPublicId: "list00000001",
        title: "Sample",
        description: "",
        priority: "none",
        dueDate: null,
        completedAt: null,
        archivedAt: null,
        createdAt: "2027-01-31T10:00:00.000Z",
        labelPublicIds: ["label0000001"],
        memberPublicIds: ["person000001"],
        checklists: [{ name: "Sample", items: [{ title: "Sample", completed: true }] }],
        comments: [
          {
            publicId: "comment00001",
            parentCommentPublicId: null,
            author: "Ada",
            comment: "Sample",
            createdAt: "2027-01-31T10:00:00.000Z",
            editedAt: null,
          },
        ],
      },
    ],
  },
};

const UNKNOWN_ID = "abcdefghijkl";

/** Identifiers of things that exist, by the name of the field that takes them, and the person who may change them all. */
export interface World {
  owner: Person;
  ids: Record<string, string>;
}

/** Makes one of each thing that the router can make. */
export async function makeWorld(make: Make): Promise<World> {
  const owner = await make.user();
  const ids: Record<string, string> = { tokenPublicId: (await make.token(owner)).publicId };
  if (!has("workspace.create")) return { owner, ids };
  const { workspace } = await make.workspace({ owner });
  ids.workspacePublicId = workspace.publicId;
  ids.memberPublicId = (await make.member(workspace, "member")).memberPublicId;
  if (has("workspace.tags.create")) ids.tagPublicId = (await make.tag({ workspace })).tag.publicId;
  if (!has("board.lists.create")) return { owner, ids };
  const { board, list } = await make.list({ board: (await make.board({ workspace })).board });
  ids.boardPublicId = board.publicId;
  ids.listPublicId = list.publicId;
  if (has("board.labels.create")) ids.labelPublicId = (await make.label({ board })).label.publicId;
  if (!has("card.create")) return { owner, ids };
  const { card } = await make.card({ list });
  ids.cardPublicId = card.publicId;
  if (has("card.comments.create")) ids.commentPublicId = (await make.comment({ card })).comment.publicId;
  if (!has("card.checklists.addItem")) return { owner, ids };
  const { checklist, item } = await make.item({ checklist: (await make.checklist({ card })).checklist });
  ids.checklistPublicId = checklist.publicId;
  ids.itemPublicId = item.publicId;
  return { owner, ids };
}

/** The part of JSON Schema that the inputs of this service use. */
export interface Schema {
  type?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  examples?: unknown[];
}

/** The input of an operation as JSON Schema, named parts in their places, a type a form; what that cannot say takes anything there. */
export function schemaOf(operation: Operation): Schema {
  const { $defs = {}, ...schema } = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" });
  const spelledOut = (_: string, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value) return $defs[String(value.$ref).replace("#/$defs/", "")];
    if (!("type" in value) || !Array.isArray(value.type)) return value;
    return { anyOf: value.type.map((type: unknown) => ({ ...value, type })) };
  };
  return JSON.parse(JSON.stringify(schema, spelledOut));
}

/** The forms a value may take, null among them. */
export const formsOf = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).flatMap((form) => (form.anyOf ? formsOf(form) : [form]));

const singular = (field: string) =>
  field.replace(/s$/, "").replace(/^(?:add|remove)([A-Z])/, (_, letter: string) => letter.toLowerCase());

function idFor(field: string, ids: World["ids"], schema: Schema): string {
  const id = ids[field] ?? (/^parent[A-Z]/.test(field) ? UNKNOWN_ID : ids[singular(field)]);
  return id ?? UNKNOWN_ID.slice(0, schema.maxLength);
}

function valueFor(operation: string, field: string, schema: Schema, ids: World["ids"]): unknown {
  const stated = VALUES[`${operation}.${field}`] ?? VALUES[field];
  const [form = {}] = formsOf(schema);
  if (stated !== undefined && form.type === (Array.isArray(stated) ? "array" : typeof stated)) return stated;
  if (form.const !== undefined) return form.const;
  if (form.enum !== undefined) return form.enum[0];
  switch (form.type) {
    case "string":
      if (/PublicIds?$/.test(field)) return idFor(field, ids, form);
      return (typeof form.examples?.[0] === "string" ? form.examples[0] : "sample text").padEnd(
        form.minLength ?? 0,
        "x",
      );
    case "integer":
    case "number":
      return Math.max(form.minimum ?? 1, Math.min(1, form.maximum ?? 1));
    case "boolean":
      return true;
    case "array":
      return Array(Math.max(1, form.minItems ?? 0)).fill(valueFor(operation, field, form.items ?? {}, ids));
    case "object":
      return Object.fromEntries(
        Object.entries(form.properties ?? {}).map(([name, inner]) => [name, valueFor(operation, name, inner, ids)]),
      );
    case "null":
      return null;
    default:
      return "anything";
  }
}

/**
 * A valid input with every field of an operation.
 * @throws Error naming the field for which no valid value could be made.
 */
export function sampleOf(operation: Operation, ids: World["ids"]): Record<string, unknown> {
  const fields = Object.entries(schemaOf(operation).properties ?? {});
  const sample = Object.fromEntries(
    fields.map(([field, schema]) => [field, valueFor(operation.path, field, schema, ids)]),
  );
  const parsed = operation.input.safeParse(sample);
  if (parsed.success) return sample;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new Error(
    `No sample for ${operation.path}: ${field} ${issue?.message}. Add ${field || "its fields"} to VALUES in tests/helpers/samples.ts`,
  );
}
