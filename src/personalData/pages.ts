// Everything of one person, read in pages and written as JSON: whatever there is, a page is in memory.

import type { Queries } from "../db/client.js";

/** The person whose data is read, and the database to read from. */
export interface Source {
  db: Queries;
  accountId: number;
  /** Called before each page. Throws when the reading must end. */
  mayGoOn: () => Promise<void>;
}

/** Reads the rows behind the last one of the page before; null for the first page. */
export type ReadPage<Row> = (last: Row | null, limit: number) => PromiseLike<Row[]>;

const PAGE_ROWS = 100;

/** The pages of rows in the order of their keys. */
export async function* pagesFrom<Row>({ mayGoOn }: Source, read: ReadPage<Row>): AsyncGenerator<Row[]> {
  for (let last: Row | null = null; ; ) {
    await mayGoOn();
    const page: Row[] = await read(last, PAGE_ROWS);
    if (page.length > 0) yield page;
    if (page.length < PAGE_ROWS) return;
    last = page.at(-1) ?? null;
  }
}

/** The items of some pages as the text of a JSON array, an item a line. */
export async function* jsonOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((item) => JSON.stringify(item)).join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
