// The calls of storms: what an account calls all at once. They are made in a process of their own (`raging.ts`), because receiving large
// responses would delay the calls of others, whose times are measured.

import { callOnce, nothingSeen, type Seen } from "./neighbours.js";
import { oneOf } from "./operations.js";
import { PASSWORD, type StormWorld } from "./world.js";

const BATCH = 10;
/** Together with the rest of the body almost 1 MiB. */
const BODY_BYTES = 1024 * 1024 - 200;

/** One request of a storm. */
interface Request {
  token: string | null;
  method: string;
  path: string;
  body?: string;
  /** The number of calls of the allowance that it counts as; 1 by default. */
  calls?: number;
}

interface Storm {
  name: string;
  next: (world: StormWorld) => Request;
}

const get = (token: string | null, path: string): Request => ({ token, method: "GET", path });

function send(token: string, method: "POST" | "PUT", path: string, body: object): Request {
  return { token, method, path, body: JSON.stringify(body) };
}

function reads(inputs: readonly object[]): string {
  const names = inputs.map(() => "board.get").join(",");
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify({ ...inputs }))}`;
}

/** Every kind of storm. */
export const STORMS: readonly Storm[] = [
  {
    name: "filtered reads",
    next: ({ token, board }) => get(token, `/api/v1/boards/${board}?search=description`),
  },
  {
    name: "bodies of 1 MiB",
    next: ({ token, lists }) =>
      send(token, "POST", "/api/v1/cards", {
        title: "A card",
        listPublicId: oneOf(lists),
        description: "a".repeat(BODY_BYTES),
      }),
  },
  { name: "public reads", next: ({ board }) => get(null, `/api/v1/public/boards/${board}`) },
  { name: "events", next: ({ token, workspace }) => get(token, `/api/v1/workspaces/${workspace}/events?limit=100`) },
  {
    name: "password changes",
    next: ({ token }) =>
      send(token, "PUT", "/api/v1/users/me/password", { currentPassword: PASSWORD, newPassword: PASSWORD }),
  },
  {
    name: "bulk moves",
    next: ({ token, lists, cards }) =>
      send(token, "POST", "/api/v1/cards/bulk/move", {
        cardPublicIds: cards.slice(0, 1000),
        listPublicId: oneOf(lists),
      }),
  },
  {
    name: "searches",
    next: ({ token, workspace }) => get(token, `/api/v1/workspaces/${workspace}/search?query=description`),
  },
  { name: "exports", next: ({ token, board }) => get(token, `/api/v1/boards/${board}/export`) },
  {
    name: "board reads over tRPC",
    next: ({ token, board }) =>
      get(token, `/trpc/board.get?input=${encodeURIComponent(JSON.stringify({ boardPublicId: board }))}`),
  },
  {
    name: "board reads over tRPC, ten in a batch",
    next: ({ token, board }) => ({
      ...get(token, reads(Array(BATCH).fill({ boardPublicId: board }))),
      calls: BATCH,
    }),
  },
];

/** A storm of some accounts. */
export interface Raging {
  /** The name of the storm. */
  name: string;
  url: string;
  worlds: readonly StormWorld[];
  /** The number of calls per account. */
  calls: number;
}

/** Makes all calls of all accounts at once, and resolves when all are answered. */
export async function rage({ name, url, worlds, calls }: Raging): Promise<Seen> {
  const storm = STORMS.find((one) => one.name === name);
  if (storm === undefined) throw new Error(`No storm ${name}`);
  const seen = nothingSeen();
  const requests = worlds.flatMap((world) =>
    Array.from({ length: calls / (storm.next(world).calls ?? 1) }, () => storm.next(world)),
  );
  await Promise.all(requests.map(({ token, method, path, body }) => callOnce(seen, url, token, method, path, body)));
  return seen;
}
