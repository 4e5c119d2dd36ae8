// A workspace with everything in it that people see over the API, and what they see: the same on whatever database it is.

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { insist, made, sender, signUp } from "./calls.js";

const CONNECTIONS = 8;
const ROWS_A_BOARD = 100;
const COMMENTS_A_BOARD = 8;

/** Whoever asks, with a session or a personal token. */
interface Asker {
  name: string;
  token: string;
  /** Whether it asks for everything, or only for what shows that its token is valid. */
  isThorough: boolean;
}

/** A workspace that was filled. */
export interface Filled {
  workspace: string;
  boards: string[];
  webhook: string;
  askers: Asker[];
  owner: string;
}

/** The address of a webhook, which is known before its secret is. */
interface Receiver {
  url: string;
  trust(secret: string): void;
}

interface Listed {
  publicId: string;
}

interface BoardBody {
  lists: { cards: Listed[] }[];
}

/** The rows of the backlog, 100 a board. */
function backlogRows(boards: number): string[][] {
  const file = readFileSync(new URL("../examples/backlog.csv", import.meta.url), "utf8");
  const [, ...rows]: string[][] = parse(file);
  return rows.slice(0, boards * ROWS_A_BOARD).map((row, index) => [...row, `Board ${index % boards}`]);
}

/** Fills a service: boards of the backlog, comments and mentions, tokens, notifications, and a webhook for `receiver`. */
export async function fill(url: string, boards: number, receiver: Receiver): Promise<Filled> {
  const owner = await signUp(url);
  const send = sender(url, owner, CONNECTIONS);
  const workspace = await made(send, "/workspaces", { name: "Ünï 👩‍👩‍👧 \u2028" });
  const home = `/workspaces/${workspace}`;
  const hook = { name: "Hook", url: receiver.url, events: ["comment.*"] };
  const { publicId: webhook, secret } = await insist(send, "POST", `${home}/webhooks`, hook);
  receiver.trust(String(secret));
  const member = await signUp(url);
  const { inviteCode } = await insist(send, "POST", `${home}/invites`);
  await insist(sender(url, member), "POST", "/invites/accept", { inviteCode });
  const mapping = { title: 0, description: 1, list: 2, labels: 3, dueDate: 4, checklist: 5, board: 6 };
  const named = { workspacePublicId: workspace, boardName: "Backlog" };
  await insist(send, "POST", "/imports/csv/boards", { ...named, rows: backlogRows(boards), mapping });

  const listed = async (path: string) => (await insist(send, "GET", path)) as unknown as Listed[];
  const memberPublicId = (await listed(`${home}/members`)).at(-1)?.publicId;
  const found = (await listed(`${home}/boards`)).map(({ publicId }) => publicId);
  for (const board of found) {
    const { lists } = (await insist(send, "GET", `/boards/${board}`)) as unknown as BoardBody;
    const cards = lists.flatMap((list) => list.cards).slice(0, COMMENTS_A_BOARD);
    await Promise.all(
      cards.map(async ({ publicId }, n) => {
        const comment = n === 0 ? `@[Ada](${memberPublicId}), look` : `Comment "${n}"\r\n\ton \\N, {} and 👩‍👩‍👧`;
        await insist(send, "POST", `/cards/${publicId}/comments`, { comment });
        if (n === 1) await insist(send, "PUT", `/cards/${publicId}/members/${memberPublicId}`);
      }),
    );
  }

  const tokens: { name: string; of: string; input: object }[] = [
    { name: "the owner's token to write", of: owner, input: { scope: "write" } },
    { name: "the owner's token of the workspace", of: owner, input: { scope: "read", workspacePublicId: workspace } },
    { name: "the member's token to read", of: member, input: { scope: "read", expiresAt: "2090-01-01" } },
  ];
  const askers = [
    { name: "the owner", token: owner, isThorough: true },
    { name: "the member", token: member, isThorough: true },
  ];
  for (const { name, of, input } of tokens) {
    const { token } = await insist(sender(url, of), "POST", "/tokens", { name, ...input });
    askers.push({ name, token: String(token), isThorough: false });
  }
  return { workspace, boards: found, webhook: String(webhook), askers, owner };
}

/** Every answer as it came, by who asked for what. */
export type Seen = Map<string, string>;

/** Times of the calls themselves. */
const CALL_TIMES = /"(exportedAt|lastUsedAt)":("[^"]*"|null)/g;

/** One answer: its status and its text, without what each call changes. Status 0 and the reason where no answer came. */
export async function ask(url: string, token: string, path: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, text: (await response.text()).replace(CALL_TIMES, '"$1":""') };
  } catch (error) {
    return { status: 0, text: String(error instanceof Error ? (error.cause ?? error) : error) };
  }
}

/** The reads that show everything, but for the pages of events. */
export function pathsOf({ workspace, boards, webhook }: Filled): string[] {
  const home = `/workspaces/${workspace}`;
  return [
    ...["/users/me", "/tokens", "/notifications?types=all&limit=100", "/notifications/unread-count"],
    ...[home, `${home}/members`, `${home}/boards`, `${home}/tags`, `${home}/search?query=fix`],
    ...[`${home}/webhooks`, `${home}/webhooks/${webhook}/deliveries?limit=100`],
    ...boards.flatMap((board) => [`/boards/${board}`, `/boards/${board}/export`, `/boards/${board}/export?format=csv`]),
  ];
}

async function eventPages(seen: Seen, url: string, { name, token }: Asker, workspace: string): Promise<void> {
  for (let after = 0; ; ) {
    const path = `/workspaces/${workspace}/events?after=${after}&limit=100`;
    const { status, text } = await ask(url, token, path);
    seen.set(`${name} ${path}`, `${status} ${text}`);
    const { nextCursor = after }: { nextCursor?: number } = status === 200 ? JSON.parse(text) : {};
    if (nextCursor === after) return;
    after = nextCursor;
  }
}

/** Everything that people see, with everything that they have to ask with. */
export async function seenBy(url: string, filled: Filled): Promise<Seen> {
  const seen: Seen = new Map();
  const paths = pathsOf(filled);
  const [board] = filled.boards;
  const few = ["/users/me", `/workspaces/${filled.workspace}`, `/boards/${board}/export`];
  for (const asker of filled.askers) {
    const left = asker.isThorough ? [...paths] : few;
    const next = async () => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        const { status, text } = await ask(url, asker.token, path);
        seen.set(`${asker.name} ${path}`, `${status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, next));
    if (asker.isThorough) await eventPages(seen, url, asker, filled.workspace);
  }
  return seen;
}

/** The differences between two views, one line each, from the first character that differs. */
export function differencesOf(before: Seen, after: Seen): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [one = "nothing", other = "nothing"] = [before.get(name), after.get(name)];
    if (one === other) return [];
    const at = [...one].findIndex((character, place) => character !== other[place]);
    const from = Math.max(0, at - 40);
    return `${name}: ${one.slice(from, from + 120)} became ${other.slice(from, from + 120)}`;
  });
}
