// The contents of the benchmark's databases: a large board, ten small ones, people, mentions; made through the service itself.

const LISTS = 10;
export const CARDS_A_LIST = 100;
const MENTIONS = 30;
const ROWS_OF_IMPORT = 2000;
const HERD = 1000;
const CARDS_IN_SMALL = 50;

/** The objects that operations work on. */
export interface World {
  token: string;
  /** The token of another member. */
  colleague: string;
  workspace: string;
  board: string;
  lists: string[];
  /** The cards of each list, as they lay at first. */
  cards: string[][];
  labels: string[];
  /** A list of another board, for the cards that are created. */
  spareList: string;
  /** A board of another workspace, whose cards are all moved at once. */
  herd: { cards: string[]; lists: string[] };
  /** The body of a CSV import of 2000 rows. */
  csvImport: string;
}

export type Json = Record<string, unknown>;

/** Calls as whoever has the token; an answer other than 200 ends the benchmark. */
export async function call<Shape>(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: Json,
): Promise<Shape> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

interface Made {
  publicId: string;
}

interface BoardAnswer {
  labels: Made[];
  lists: { publicId: string; cards: Made[] }[];
}

const DESCRIPTION = "A description of some length, as people write them. ".repeat(4);
const dueDate = (card: number) => new Date(Date.UTC(2027, card % 12, 1 + (card % 28), 9)).toISOString();

const importOf = (workspacePublicId: string, boardName: string, rows: number, description = DESCRIPTION) => ({
  workspacePublicId,
  boardName,
  rows: Array.from({ length: rows }, (_, card) => [
    `Card number ${card}`,
    description,
    `List ${card % LISTS}`,
    `label ${card % 7}, topic ${card % 3}`,
    dueDate(card),
  ]),
  mapping: { title: 0, description: 1, list: 2, labels: 3, dueDate: 4 },
});

/** The password of every account. */
export const PASSWORD = "correct horse battery";

async function signUp(url: string, name: string): Promise<string> {
  const account = { name, email: `${name.toLowerCase()}@example.org`, password: PASSWORD };
  const { accessToken } = await call<{ accessToken: string }>(url, null, "POST", "/auth/sign-up", account);
  return accessToken;
}

/** New members of a workspace; their tokens. */
async function join(url: string, owner: string, workspace: string, names: readonly string[]): Promise<string[]> {
  const { inviteCode } = await call<{ inviteCode: string }>(url, owner, "POST", `/workspaces/${workspace}/invites`);
  const members = await Promise.all(names.map((name) => signUp(url, name)));
  for (const member of members) await call(url, member, "POST", "/invites/accept", { inviteCode });
  return members;
}

/** Somebody else, who mentions the reader in comments; their token. */
async function mention(url: string, owner: string, workspace: string, card: string): Promise<string> {
  const [other = ""] = await join(url, owner, workspace, ["Max"]);
  for (let n = 0; n < MENTIONS; n += 1) {
    await call(url, other, "POST", `/cards/${card}/comments`, { comment: `@ada@example.org look at this, ${n}` });
  }
  return other;
}

/** Further members of the world's workspace; their tokens. */
export const readersOf = (url: string, { token, workspace }: World, count: number): Promise<string[]> =>
  join(
    url,
    token,
    workspace,
    Array.from({ length: count }, (_, n) => `Reader${n}`),
  );

/** Fills an empty service. */
export async function populate(url: string): Promise<World> {
  const token = await signUp(url, "Ada");
  const post = <Shape>(path: string, body: Json) => call<Shape>(url, token, "POST", path, body);
  const { publicId: workspace } = await post<Made>("/workspaces", { name: "Engines" });
  const { boardPublicId: board } = await post<{ boardPublicId: string }>(
    "/imports/csv/boards",
    importOf(workspace, "Large", LISTS * CARDS_A_LIST),
  );
  const { lists, labels } = await call<BoardAnswer>(url, token, "GET", `/boards/${board}`);
  for (let n = 1; n < 10; n += 1) await post(`/workspaces/${workspace}/boards`, { name: `Board ${n}` });
  const spare = await post<Made>(`/workspaces/${workspace}/boards`, { name: "Spare", lists: ["New"] });
  const { lists: spareLists } = await call<BoardAnswer>(url, token, "GET", `/boards/${spare.publicId}`);
  const colleague = await mention(url, token, workspace, lists[0]?.cards[0]?.publicId ?? "");
  const { publicId: elsewhere } = await post<Made>("/workspaces", { name: "Elsewhere" });
  const herd = await post<{ boardPublicId: string }>("/imports/csv/boards", importOf(elsewhere, "Herd", HERD));
  const { lists: herdLists } = await call<BoardAnswer>(url, token, "GET", `/boards/${herd.boardPublicId}`);
  return {
    token,
    colleague,
    workspace,
    board,
    lists: lists.map((list) => list.publicId),
    cards: lists.map((list) => list.cards.map(({ publicId }) => publicId)),
    labels: labels.map(({ publicId }) => publicId),
    spareList: spareLists[0]?.publicId ?? "",
    herd: {
      cards: herdLists.flatMap(({ cards }) => cards.map(({ publicId }) => publicId)),
      lists: herdLists.map(({ publicId }) => publicId),
    },
    csvImport: JSON.stringify(importOf(workspace, "Imported", ROWS_OF_IMPORT)),
  };
}

/** A workspace of somebody else's, with one board of one list. */
export interface SmallWorld {
  token: string;
  board: string;
  list: string;
  cards: string[];
}

/** Makes so many accounts, each with a workspace of their own. */
export async function smallWorlds(url: string, count: number): Promise<SmallWorld[]> {
  const made: SmallWorld[] = [];
  for (let n = 0; n < count; n += 1) {
    const token = await signUp(url, `Other${n}`);
    const post = <Shape>(path: string, body: Json) => call<Shape>(url, token, "POST", path, body);
    const workspace = await post<Made>("/workspaces", { name: `Workspace ${n}` });
    const rows = Array.from({ length: CARDS_IN_SMALL }, (_, card) => [`Card ${card}`]);
    const imported = { workspacePublicId: workspace.publicId, boardName: "Board", rows, mapping: { title: 0 } };
    const { boardPublicId } = await post<{ boardPublicId: string }>("/imports/csv/boards", imported);
    const { lists } = await call<BoardAnswer>(url, token, "GET", `/boards/${boardPublicId}`);
    const [list] = lists;
    if (list === undefined) throw new Error("The board has no list");
    made.push({ token, board: boardPublicId, list: list.publicId, cards: list.cards.map(({ publicId }) => publicId) });
  }
  return made;
}

/** The board of an account that causes a storm: 2000 cards with long descriptions, which anyone may read. */
export interface StormWorld {
  token: string;
  workspace: string;
  board: string;
  lists: string[];
  cards: string[];
}

/** About 1.8 kB, so that the descriptions of 2000 cards take about 3.5 MiB. */
const LONG_DESCRIPTION = "A description of some length, as people write them. ".repeat(35);

/** Makes so many accounts, each with a large public board. */
export async function stormWorlds(url: string, count: number): Promise<StormWorld[]> {
  const made: StormWorld[] = [];
  for (let n = 0; n < count; n += 1) {
    const token = await signUp(url, `Storm${n}`);
    const { publicId: workspace } = await call<Made>(url, token, "POST", "/workspaces", { name: `Storm ${n}` });
    const body = importOf(workspace, "Large", ROWS_OF_IMPORT, LONG_DESCRIPTION);
    const { boardPublicId: board } = await call<{ boardPublicId: string }>(
      url,
      token,
      "POST",
      "/imports/csv/boards",
      body,
    );
    await call(url, token, "PUT", `/boards/${board}`, { visibility: "public" });
    const { lists } = await call<BoardAnswer>(url, token, "GET", `/boards/${board}`);
    made.push({
      token,
      workspace,
      board,
      lists: lists.map(({ publicId }) => publicId),
      cards: lists.flatMap(({ cards }) => cards.map(({ publicId }) => publicId)),
    });
  }
  return made;
}

/** Somebody with a board of each of these numbers of cards. */
export async function sizedBoards(url: string, sizes: readonly number[]): Promise<{ email: string; boards: string[] }> {
  const token = await signUp(url, "Ada");
  const { publicId } = await call<Made>(url, token, "POST", "/workspaces", { name: "Engines" });
  const boards: string[] = [];
  for (const size of sizes) {
    const { rows, ...body } = importOf(publicId, `${size} cards`, size);
    let board: { boardPublicId?: string } = {};
    for (let from = 0; from < size; from += ROWS_OF_IMPORT) {
      const part = { ...body, ...board, rows: rows.slice(from, from + ROWS_OF_IMPORT) };
      const { boardPublicId } = await call<{ boardPublicId: string }>(url, token, "POST", "/imports/csv/boards", part);
      board = { boardPublicId };
    }
    boards.push(board.boardPublicId ?? "");
  }
  return { email: "ada@example.org", boards };
}
