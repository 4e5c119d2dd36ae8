// The tables of cards are written below src/card/ and nowhere else. The linter cannot tell a write from a read. A table whose rows
// belong to a card is one of a part, or is named here.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { PART_TABLES } from "../../src/card/model/ownParts.js";
import * as schema from "../../src/db/schema/index.js";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

const { card, cardText, cardLabel, cardMember, comment, reminder } = schema;
/** What a card only refers to, what has an author, and what the service notes of a card. */
const NO_PARTS: readonly PgTable[] = [cardText, cardLabel, cardMember, comment, reminder];

const tables = Object.entries<unknown>(schema).flatMap(([name, table]): [string, PgTable][] =>
  is(table, PgTable) ? [[name, table]] : [],
);

/** Whether the rows of a table are deleted with what they belong to: a card, or something of a card. */
function isOfCards(table: PgTable): boolean {
  const owners = getTableConfig(table)
    .foreignKeys.filter(({ onDelete }) => onDelete === "cascade")
    .map((key) => key.reference().foreignTable);
  return owners.some((owner) => owner === card || (owner !== table && isOfCards(owner)));
}
const ofCards = tables.filter(([, table]) => isOfCards(table));
const TABLES = new Map<string, PgTable>([["card", card], ...ofCards.filter(([, table]) => table !== reminder)]);

test("every table of cards is one of a part, or is known to be none", () => {
  expect(new Set(ofCards.map(([, table]) => table))).toEqual(new Set([...NO_PARTS, ...PART_TABLES]));
});

/** The names by which a source imports a table from the schema. */
const namesOf = (table: string, source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from "[^"]*db\/schema\/\w+\.js"/g)].flatMap(([, names = ""]) =>
    names.split(",").flatMap((one) => {
      const [name = "", alias = name] = one.trim().split(" as ");
      return name === table ? alias : [];
    }),
  );

/** The writes of a table in a source: calls that take it first or after the unit of work, and SQL. */
function writesOf(table: string, source: string): string[] {
  const names = `(?:${namesOf(table, source).join("|") || "(?!)"})`;
  const calls = `\\.(?:add|set|setEach|remove|insert|update|delete)\\(\\s*${names}\\s*[,)]`;
  const rows = `\\b(?:addRows|setRows)\\(\\s*\\w+,\\s*${names}\\s*,`;
  const verbs = "(?:insert\\s+into|update|delete\\s+from|merge\\s+into|truncate)";
  const statements = `\\b${verbs}\\s+(?:\\$\\{${names}\\}|"${getTableName(TABLES.get(table) ?? card)}")`;
  return [...source.matchAll(new RegExp([calls, rows, statements].join("|"), "gi"))].map(([found]) => found);
}

const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, source: readFileSync(join(SOURCE, path), "utf8") }));

test.each([...TABLES.keys()])("%s is written below src/card/ alone", (table) => {
  const writing = sources.filter(({ source }) => writesOf(table, source).length > 0).map(({ path }) => path);
  expect(writing.length).toBeGreaterThan(0);
  expect(writing.filter((path) => !path.startsWith("card/"))).toEqual([]);
});

test.each([
  "tx.add(cards, row)",
  "tx.setEach(\n    cards,\n    rows)",
  "addRows(tx, cards, rows)",
  "db.delete(cards)",
  `sql\`update \${cards} set\``,
  'sql`insert into "card" (id)`',
])("a write is found: %s", (source) => {
  expect(writesOf("card", `import { card as cards } from "../db/schema/index.js";\n${source}`)).toHaveLength(1);
});
