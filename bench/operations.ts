// The operations that are measured: the requests they are made of, and how their answers are held against the floor's.

import { randomBytes } from "node:crypto";
import { CARDS_A_LIST, type World } from "./world.js";

export interface Request {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

/**
 * The degree to which an answer of the service must agree with the floor's: in every byte, or in all but new identifiers and
 * instants.
 */
export type Agreement = "bytes" | "but for identifiers and instants";

export interface Operation {
  name: string;
  next(): Request;
  /** Null where the floor has nothing to compare with. */
  agreement: Agreement | null;
  /** Whether the large board gets an event before each request, so that nobody answers from memory. */
  changesBoard?: true;
  /** Whether each request first asks for the entity tag that it then names. */
  conditional?: true;
  /** The most calls at once, if one alone takes long. */
  maxConnections?: number;
}

const below = (limit: number) => Math.floor(Math.random() * limit);
export const oneOf = <T>(values: readonly T[]): T => {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from");
  return value;
};

export const newTitle = () => `Renamed ${randomBytes(6).toString("hex")}`;

/** The operations on a world, in the order of the table. */
export function operationsOn({ workspace, board, lists, cards, spareList, herd, csvImport }: World): Operation[] {
  const all = cards.flat();
  const get = (path: string) => (): Request => ({ method: "GET", path });
  const getGzipped = (path: string) => (): Request => ({ method: "GET", path, headers: { "accept-encoding": "gzip" } });
  const send = (method: "POST" | "PUT", path: string, body: object): Request => ({
    method,
    path,
    body: JSON.stringify(body),
  });
  const hundred = cards.flatMap((of) => of.slice(0, CARDS_A_LIST / 10));
  const size = `board of ${lists.length} × ${CARDS_A_LIST} cards`;
  return [
    { name: `get a ${size}, changed`, next: get(`/boards/${board}`), agreement: "bytes", changesBoard: true },
    { name: `get a ${size}, unchanged`, next: get(`/boards/${board}?kept`), agreement: "bytes" },
    {
      name: "the same, changed, gzip",
      next: getGzipped(`/boards/${board}`),
      agreement: "bytes",
      changesBoard: true,
    },
    { name: "the same, unchanged, gzip", next: getGzipped(`/boards/${board}?kept`), agreement: "bytes" },
    { name: "the same, If-None-Match", next: get(`/boards/${board}?kept`), agreement: "bytes", conditional: true },
    {
      name: "create a card",
      next: () => send("POST", "/cards", { title: "A new card", listPublicId: spareList }),
      agreement: "but for identifiers and instants",
    },
    {
      name: "rename a card",
      next: () => send("PUT", `/cards/${oneOf(all)}`, { title: newTitle() }),
      agreement: "bytes",
    },
    {
      name: "move a card",
      next: () => send("PUT", `/cards/${oneOf(all)}`, { listPublicId: oneOf(lists), index: below(CARDS_A_LIST) }),
      agreement: "bytes",
    },
    {
      name: "move 100 cards at once",
      next: () => send("POST", "/cards/bulk/move", { cardPublicIds: hundred, listPublicId: oneOf(lists) }),
      agreement: "bytes",
    },
    { name: "list 11 boards", next: get(`/workspaces/${workspace}/boards`), agreement: "bytes" },
    { name: "my permissions", next: get(`/workspaces/${workspace}/permissions/me`), agreement: "bytes" },
    {
      name: "calendar of a month",
      next: get(`/workspaces/${workspace}/calendar?anchor=2027-05-15`),
      agreement: "bytes",
    },
    { name: "20 notifications", next: get("/notifications"), agreement: "bytes" },
    { name: "search", next: get(`/workspaces/${workspace}/search?query=number%2077`), agreement: "bytes" },
    {
      name: "move 1000 cards at once",
      next: () => send("POST", "/cards/bulk/move", { cardPublicIds: herd.cards, listPublicId: oneOf(herd.lists) }),
      agreement: null,
      maxConnections: 1,
    },
    {
      name: "import 2000 rows of CSV",
      next: () => ({ method: "POST", path: "/imports/csv/boards", body: csvImport }),
      agreement: null,
      maxConnections: 1,
    },
  ];
}
