// Events that are older than EVENT_DAYS: what goes, what stays, and what readers hear of it.

import { and, eq, gt, lte } from "drizzle-orm";
import { expect, test } from "vitest";
import { forgetOldEntries } from "../../src/admin/audit.js";
import { workspaceOf } from "../../src/db/ids.js";
import { auditEntry, event, webhookDelivery } from "../../src/db/schema/index.js";
import { auditRow } from "../../src/user/auditLog.js";
import { forgetOldEvents } from "../../src/webhook/oldEvents.js";
import { type Board, expectError, ok, testApp } from "../helpers/app.js";
import { read } from "../helpers/streams.js";
import { swept } from "../helpers/sweeping.js";

const { as, make, db, listening } = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
const KEPT = { audit: 400, events: 30 };
const OLD = new Date(Date.now() - 31 * 86_400_000).toISOString();

interface Page {
  items: { id: number }[];
  nextCursor: number;
}

/** A board, and its log up to `count` events; those up to `old` are too old. */
async function logOf(count: number, old: number) {
  const { board, owner, workspace } = await make.board();
  const workspaceId = workspaceOf(workspace.publicId) ?? 0;
  while ((await eventsOf(board)).nextCursor < count) await make.list({ board });
  await db
    .update(event)
    .set({ createdAt: OLD })
    .where(and(eq(event.workspaceId, workspaceId), lte(event.seq, old)));
  return { board, owner, workspaceId };
}

const get = ({ owner, workspace }: Board, query = "") =>
  as(owner).get<Page>(`/workspaces/${workspace.publicId}/events?${query}`);
const eventsOf = async (board: Board, query = "") => ok(await get(board, query));
const ids = ({ items }: Page) => items.map(({ id }) => id);

test("the beginning of a log goes, and readers from before hear which event is the oldest", async () => {
  const { board } = await logOf(6, 4);
  const other = await logOf(3, 0);
  expect(await swept(forgetOldEvents, db, { ...KEPT, events: null })).toEqual([]);
  expect(await swept(forgetOldEvents, db, KEPT)).toEqual([4]);
  expect(await swept(forgetOldEvents, db, KEPT)).toEqual([]);

  expect(ids(await eventsOf(board))).toEqual([5, 6]);
  expect(ids(await eventsOf(board, "after=4"))).toEqual([5, 6]);
  expect(await eventsOf(board, "boardPublicId=unknownunkno")).toEqual({ items: [], nextCursor: 4, hasMore: false });
  for (const after of [0, 3]) {
    const res = await get(board, `after=${after}`);
    expectError(res, "PRECONDITION_FAILED", "after");
    expect(res.body).toMatchObject({ issues: [{ message: "The oldest event that is kept is 5" }] });
  }
  expect(ids(await eventsOf(other.board, "after=0"))).toEqual([1, 2, 3]);
  await make.list({ board });
  expect(ids(await eventsOf(board))).toEqual([5, 6, 7]);
});

test("a stream from before says `reset`, and goes on with what comes", async () => {
  const { board, owner } = await logOf(4, 3);
  await swept(forgetOldEvents, db, KEPT);
  const url = `${await listening()}/api/v1/boards/${board.publicId}/stream`;
  const kept = await read(url, owner.token, "3");
  const late = await read(url, owner.token, "2");
  await make.list({ board });
  await kept.until(() => kept.messages.some(({ id, data }) => id === "5" && data !== undefined));
  await late.until(() => late.messages.some(({ id, data }) => id === "5" && data !== undefined));
  expect(kept.messages.map(({ id, event: type }) => [id, type])).toEqual([
    ["3", undefined],
    ["4", undefined],
    ["5", undefined],
  ]);
  expect(late.messages.map(({ id, event: type }) => [id, type])).toEqual([
    ["4", undefined],
    ["4", "reset"],
    ["5", undefined],
  ]);
  kept.leave();
  late.leave();
});

test("events that a pending delivery needs are kept, and one that ended is not sent again without its event", async () => {
  const { board, owner, workspaceId } = await logOf(2, 0);
  const path = `/workspaces/${board.workspace.publicId}/webhooks`;
  const { publicId } = ok(
    await as(owner).post<{ publicId: string }>(path, { name: "Hook", url: "http://127.0.0.1:9/", events: ["list.*"] }),
  );
  await make.list({ board });
  await db.update(event).set({ createdAt: OLD }).where(eq(event.workspaceId, workspaceId));
  expect(await swept(forgetOldEvents, db, KEPT)).toEqual([3]);
  expect(ids(await eventsOf(board))).toEqual([4]);

  await db
    .update(webhookDelivery)
    .set({ status: "failed" })
    .where(and(eq(webhookDelivery.workspaceId, workspaceId), gt(webhookDelivery.eventSeq, 0)));
  expect(await swept(forgetOldEvents, db, KEPT)).toEqual([1]);
  const deliveries = ok(await as(owner).get<{ items: { publicId: string }[] }>(`${path}/${publicId}/deliveries`));
  const again = `${path}/${publicId}/deliveries/${deliveries.items[0]?.publicId}/redeliver`;
  expectError(await as(owner).post(again), "PRECONDITION_FAILED");
});

test("entries of the audit log go after AUDIT_DAYS", async () => {
  const entryOf = (createdAt: string) => ({ ...auditRow(null, { type: "backup.made", actorId: null }), createdAt });
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  await db.insert(auditEntry).values([entryOf(ago(401)), entryOf(ago(399))]);
  expect(await swept(forgetOldEntries, db, KEPT)).toEqual([1]);
  expect(await db.$count(auditEntry, eq(auditEntry.type, "backup.made"))).toBe(1);
});

test("a board shows a change whose event was forgotten before anybody read it", async () => {
  const { board, owner, workspaceId } = await logOf(3, 3);
  const listsOf = async () => ok(await as(owner).get<{ lists: unknown[] }>(`/boards/${board.publicId}`)).lists.length;
  const forgetAll = async () => {
    await db.update(event).set({ createdAt: OLD }).where(eq(event.workspaceId, workspaceId));
    await swept(forgetOldEvents, db, KEPT);
  };
  await forgetAll();
  const before = await listsOf();

  await make.list({ board });
  await forgetAll();

  expect(await listsOf()).toBe(before + 1);
});
