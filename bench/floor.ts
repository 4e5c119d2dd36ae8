// The floor: what a service on these tables could cost at the least. Bare Fastify, postgres.js, and one statement written by
// hand for each request. It answers what the service answers, byte for byte, and is held to that by the benchmark.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Fastify, { type FastifyRequest } from "fastify";
import postgres from "postgres";
import { permissionsOf, type Role } from "../src/access/permissions.js";
import { byName } from "../src/api/shapes.js";
import { isRetryable } from "../src/db/failures.js";
import { newPublicIdIn, workspaceOf } from "../src/db/ids.js";
import { types } from "../src/db/postgres/types.js";
import { boardFrom } from "./floor/board.js";
import { READS } from "./floor/reads.js";
import { FUNCTIONS, WRITES } from "./floor/writes.js";

const POOL_SIZE = 8;

const db = postgres(process.env.DATABASE_URL ?? "", {
  max: POOL_SIZE,
  types,
  fetch_types: false,
  connection: { TimeZone: "UTC", plan_cache_mode: "force_generic_plan", jit: "off" },
  onnotice: () => {},
});
for (const text of FUNCTIONS) await db.unsafe(text);

const app = Fastify();
const base = "/api/v1";

class Refused extends Error {
  readonly statusCode = 403;
}

/** Runs a statement for whoever calls; it gives no row to those who may not. */
async function ask<Row extends object>(request: FastifyRequest, text: string, ...params: (string | number)[]) {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  const hash = createHash("sha256").update(token).digest("hex");
  for (;;) {
    try {
      return await db.unsafe<Row[]>(text, [hash, ...params.map(String)], { prepare: true });
    } catch (error) {
      if (!isRetryable(error)) throw error;
    }
  }
}

async function askOne<Row extends object>(request: FastifyRequest, text: string, ...params: (string | number)[]) {
  const [row] = await ask<Row>(request, text, ...params);
  if (row === undefined) throw new Refused();
  return row;
}

type Params = { id: string };
type Body = { title: string; listPublicId: string; index?: number; cardPublicIds: string[] };

app.get("/ready", async () => ({ status: "ok" }));

app.get<{ Params: Params }>(`${base}/workspaces/:id/permissions/me`, async (request) => {
  const { role } = await askOne<{ role: Role }>(request, READS.permissions, request.params.id);
  return { permissions: permissionsOf(role), role };
});

const compress = promisify(gzip);

/** As fast as the service compresses. */
const gzipped = (text: string) => compress(text, { level: 2 });

const kept = new Map<string, { version: number; etag: string; body: Buffer; gzipped: Buffer }>();

/** Reads the board whole; with `?kept` from memory, once a statement has told that it is still the same. */
app.get<{ Params: Params; Querystring: { kept?: string } }>(`${base}/boards/:id`, async (request, reply) => {
  const { id } = request.params;
  reply.type("application/json; charset=utf-8");
  const takesGzip = request.headers["accept-encoding"] === "gzip";
  if (takesGzip) reply.header("content-encoding", "gzip");
  if (request.query.kept === undefined) {
    const { text } = boardFrom(await ask(request, READS.board, id));
    return takesGzip ? gzipped(text) : text;
  }
  const { version } = await askOne<{ version: number }>(request, READS.boardVersion, id);
  let board = kept.get(id);
  if (board?.version !== version) {
    const { text } = boardFrom(await ask(request, READS.board, id));
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
    board = { version, etag, body: Buffer.from(text), gzipped: await gzipped(text) };
    kept.set(id, board);
  }
  if (request.headers["if-none-match"] === board.etag) return reply.status(304).send();
  return reply.header("etag", board.etag).send(takesGzip ? board.gzipped : board.body);
});

interface BoardRow {
  public_id: string;
  name: string;
  slug: string;
  visibility: string;
  is_archived: boolean;
  is_favourite: boolean;
  open_cards: number;
  tags: { publicId: string; name: string; colourCode: string }[] | null;
}

app.get<{ Params: Params }>(`${base}/workspaces/:id/boards`, async (request) => {
  const rows = await ask<BoardRow>(request, READS.boards, request.params.id);
  return rows
    .map((row) => ({
      publicId: row.public_id,
      name: row.name,
      slug: row.slug,
      visibility: row.visibility,
      isArchived: row.is_archived,
      isFavourite: row.is_favourite,
      tags: (row.tags ?? []).sort(byName),
      openCards: row.open_cards,
    }))
    .sort(byName);
});

app.get<{ Params: Params; Querystring: { anchor: string } }>(`${base}/workspaces/:id/calendar`, async (request) => {
  const [year = 0, month = 0] = request.query.anchor.split("-").map(Number);
  const from = new Date(Date.UTC(year, month - 1, 1)).toISOString();
  return ask(request, READS.calendar, request.params.id, from, new Date(Date.UTC(year, month, 1)).toISOString());
});

interface NotificationRow {
  publicId: string;
  type: string;
  createdAt: string;
  readAt: string | null;
  actorName: string;
  actorEmail: string | null;
  actorImage: string | null;
  role: Role;
  cardPublicId: string;
  title: string;
  cardNumber: number;
  boardPublicId: string;
  cardPrefix: string;
  workspacePublicId: string;
  workspaceName: string;
}

app.get(`${base}/notifications`, async (request) => {
  const rows = await ask<NotificationRow>(request, READS.notifications, 20);
  return rows.map((row) => ({
    publicId: row.publicId,
    type: row.type,
    createdAt: row.createdAt,
    readAt: row.readAt,
    actor: { name: row.actorName, email: row.role === "guest" ? null : row.actorEmail, image: row.actorImage },
    card: {
      publicId: row.cardPublicId,
      title: row.title,
      cardNumber: row.cardNumber,
      boardPublicId: row.boardPublicId,
      cardPrefix: row.cardPrefix,
    },
    workspace: { publicId: row.workspacePublicId, name: row.workspaceName },
  }));
});

app.get<{ Params: Params; Querystring: { query: string } }>(`${base}/workspaces/:id/search`, async (request) => {
  const rows = await ask<object>(request, READS.search, request.params.id, request.query.query, 51);
  return { items: rows.slice(0, 50).map((row) => ({ type: "card", ...row })), nextCursor: null };
});

/** A new identifier in the workspace of another one. */
const newPublicIdBeside = (publicId: string) => newPublicIdIn(workspaceOf(publicId) ?? 0);

app.post<{ Body: Body }>(`${base}/cards`, async (request) => {
  const { title, listPublicId } = request.body;
  const [publicId, operation] = [newPublicIdBeside(listPublicId), newPublicIdBeside(listPublicId)];
  const made = await askOne<{ card_number: number }>(request, WRITES.create, listPublicId, publicId, title, operation);
  return { publicId, cardNumber: made.card_number };
});

app.put<{ Params: Params; Body: Body }>(`${base}/cards/:id`, async (request) => {
  const { title, listPublicId, index } = request.body;
  const { id } = request.params;
  const operation = newPublicIdBeside(id);
  return listPublicId === undefined
    ? askOne(request, WRITES.rename, id, title, operation)
    : askOne(request, WRITES.move, id, listPublicId, index ?? 0, operation);
});

app.post<{ Body: Body }>(`${base}/cards/bulk/move`, async (request) => {
  const { cardPublicIds, listPublicId } = request.body;
  const operation = newPublicIdBeside(listPublicId);
  return askOne(request, WRITES.bulkMove, `{${cardPublicIds.join(",")}}`, listPublicId, operation);
});

const address = await app.listen({ host: "127.0.0.1", port: 0 });
process.on("SIGTERM", () => process.exit(0));
process.stdout.write(`listens on ${address}\n`);
