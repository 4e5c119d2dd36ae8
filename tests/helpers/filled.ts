// A database with rows in every table: boards of a real backlog and what hangs on them, made through HTTP; what no operation leaves
// behind by itself is written to its table.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect } from "vitest";
import * as schema from "../../src/db/schema/index.js";
import { ok, type TestApp, type Workspace } from "./app.js";

const TABLES = Object.values(schema).filter((value) => is(value, PgTable));
const BOARDS = 20;

/** Whoever reads the database afterwards, and finds it as it was. */
export interface Filled {
  workspace: Workspace;
  people: { token: string }[];
}

/** Cells that a careless copy would change. */
const DIFFICULT = [
  "NULL",
  "{}",
  "",
  " ",
  '"quoted" \\ {,}',
  "line\r\nbreak\ttab",
  "Ünï 👩‍👩‍👧 \u2028",
  "\\N",
  "null",
  "\\\\'",
];

/** Fills a database until every table has rows. */
export async function fill(app: TestApp): Promise<Filled> {
  const { as, make } = app;
  const { owner, workspace } = await make.workspace({ name: DIFFICULT[4] });
  await importBacklog(app, workspace);
  const { board } = await make.board({ workspace });
  const { list } = await make.list({ board });
  const { card } = await make.card({
    list,
    title: "Difficult",
    description: DIFFICULT.join("\n"),
    dueDate: "2030-01-31T10:00:00.000Z",
  });
  for (const text of DIFFICULT) if (text.trim() !== "") await make.comment({ card, comment: text });
  const { checklist } = await make.checklist({ card });
  await make.item({ checklist });
  const { label } = await make.label({ board });
  const { tag } = await make.tag({ workspace });
  const member = await make.member(board, "member");
  const former = await make.member(workspace, "member");
  const token = await make.token(member, { scope: "read", workspacePublicId: workspace.publicId });
  const admin = as(owner);
  const put = async (path: string, body?: object) => ok(await admin.put(path, body));
  const post = async (path: string, body?: object, headers?: Record<string, string>) =>
    ok(await admin.post(path, body, headers));
  await put(`/cards/${card.publicId}/labels/${label.publicId}`);
  await put(`/cards/${card.publicId}/members/${member.memberPublicId}`);
  await put(`/boards/${board.publicId}`, { isFavourite: true });
  await put(`/boards/${board.publicId}/opened`);
  await put(`/boards/${board.publicId}/tags/${tag.publicId}`);
  await put(`/workspaces/${workspace.publicId}/meetings`, { title: "Weekly", scheduledAt: "2030-01-07T09:00:00.000Z" });
  await post(`/workspaces/${workspace.publicId}/webhooks`, {
    name: "Hook",
    url: "https://example.org/hook",
    events: ["*"],
  });
  await post(
    `/cards/${card.publicId}/comments`,
    { comment: `@[${member.name}](${member.memberPublicId})` },
    { "Idempotency-Key": "a-key" },
  );
  ok(await admin.delete(`/workspaces/${workspace.publicId}/members/${former.memberPublicId}`));
  // After it: it revokes the link of the workspace.
  await post(`/workspaces/${workspace.publicId}/invites`, {});
  await app.anonymous.post("/auth/sign-in", { email: owner.email, password: "wrong" });
  await writeTheRest(app);
  await mustHaveRowsEverywhere(app);
  return { workspace, people: [owner, member, token] };
}

async function importBacklog({ as }: TestApp, workspace: Workspace): Promise<void> {
  const file = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");
  const [, ...rows]: string[][] = parse(file);
  const boards = rows.map((row, index) => [...row, `Board ${index % BOARDS}`]);
  const mapping = { title: 0, description: 1, list: 2, labels: 3, dueDate: 4, checklist: 5, board: 6 };
  const body = { workspacePublicId: workspace.publicId, boardName: "Backlog", rows: boards, mapping };
  ok(await as(workspace.owner).post("/imports/csv/boards", body));
}

/** Tables that no call of `fill` reaches. */
async function writeTheRest({ db }: TestApp): Promise<void> {
  const [first] = await db.rows<{ accountId: number; workspaceId: number; cardId: number; tokenId: number }>(sql`
    select w.id as "workspaceId", a.id as "accountId", (select min(id) from access_token) as "tokenId",
      (select min(id) from card where workspace_id = w.id) as "cardId"
    from workspace w, account a order by w.id, a.id limit 1`);
  if (first === undefined) throw new Error("Nothing was made");
  const { accountId, workspaceId, cardId, tokenId } = first;
  const hash = () => randomBytes(32).toString("hex");
  const expiresAt = "2030-01-01T00:00:00.000Z";
  const data = { token: "t", text: DIFFICULT, number: 1.5 };
  await db.insert(schema.accountLink).values({ accountId, kind: "passwordReset", tokenHash: hash(), expiresAt });
  await db
    .insert(schema.auditEntry)
    .values({ type: "account.signedIn", target: { kind: "account", name: DIFFICULT[4] ?? "" } });
  await db
    .insert(schema.identity)
    .values({ publicId: "identity", accountId, providerId: "p", issuer: "i", subject: "s" });
  await db.insert(schema.mail).values({ publicId: "mail", kind: "notice", data });
  await db.insert(schema.notificationSettings).values({ accountId, dueMinutes: null });
  await db.insert(schema.notificationCounter).values({ accountId, seq: 3 }).onConflictDoNothing();
  await db.insert(schema.reminder).values({ workspaceId, cardId, accountId, dueDate: expiresAt });
  await db.insert(schema.twoFactor).values({ accountId, secret: "encrypted" });
  await db.insert(schema.recoveryCode).values({ accountId, codeHash: hash() });
  await db.insert(schema.oidcFlow).values({
    ...{ tokenHash: hash(), providerId: "p", redirectUri: "https://example.org", state: "s", nonce: "n" },
    ...{ codeVerifier: "v", linkTokenId: tokenId, expiresAt },
  });
}

/** A table that is added needs a row here, so that copies of it are tested. */
async function mustHaveRowsEverywhere({ db }: TestApp): Promise<void> {
  for (const table of TABLES) {
    const rows = await db.rows(sql`select 1 from ${table} limit 1`);
    expect(rows.length, `rows of ${getTableName(table)}`).toBeGreaterThan(0);
  }
}

/** What everybody sees: boards as files, events, the account and its tokens, notifications. */
export async function seenBy({ as }: Pick<TestApp, "as">, { workspace, people }: Filled): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const person of people) {
    const get = async (path: string) => (await as(person).get<{ publicId: string }[]>(path)).body;
    const home = `/workspaces/${workspace.publicId}`;
    for (const path of ["/users/me", "/tokens", "/notifications", home, `${home}/members`, `${home}/webhooks`]) {
      seen.push(withoutUses(await get(path)));
    }
    const boards = await get(`${home}/boards`);
    for (const { publicId } of boards)
      seen.push(await get(`/boards/${publicId}`), withoutTime(await get(`/boards/${publicId}/export`)));
    for (let after: number | null = 0; after !== null; )
      after = await addPage(seen, await get(`${home}/events?after=${after}&limit=100`), after);
  }
  return seen;
}

interface Page {
  items: unknown[];
  nextCursor: number;
}

async function addPage(seen: unknown[], page: unknown, after: number): Promise<number | null> {
  const { nextCursor } = page as Page;
  seen.push(page);
  return Number(nextCursor) === after ? null : Number(nextCursor);
}

const without = (value: unknown, name: string): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === name ? undefined : part)));
/** A call is a use of its token. */
const withoutUses = (value: unknown) => without(without(value, "lastUsedAt"), "expiresAt");
const withoutTime = (value: unknown) => without(value, "exportedAt");
