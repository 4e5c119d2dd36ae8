// The end of old events (`EVENT_DAYS`): each workspace forgets the beginning of its log, up to what is still needed.

import { and, asc, eq, gt, sql } from "drizzle-orm";
import { type IsAsked, readWherePossible } from "../db/acrossServers.js";
import { acrossWorkspaces } from "../db/acrossWorkspaces.js";
import type { Database, Queries } from "../db/client.js";
import { event, workspaceCounter } from "../db/schema/index.js";
import { SWEPT_AT_ONCE, type Sweep } from "../db/sweeps.js";
import { mustBeWhole, triedIn } from "../db/sweptWorkspaces.js";

/** Workspaces are looked at so many at a time. */
const WORKSPACES_AT_ONCE = 1000;

/** The time of the oldest event of a workspace that is still stored. */
const oldestEvent = (isAsked: IsAsked) => sql`(
  select ${event.createdAt} from ${event}
  where ${event.workspaceId} = ${workspaceCounter.workspaceId} and ${event.seq} > ${workspaceCounter.forgottenSeq}
    and ${isAsked(event.workspaceId)}
  order by ${event.seq} limit 1)`;

/** The keys of workspaces whose oldest event is older than so many days, from a key on. */
const withOldEvents = (db: Queries, days: number, after: number) =>
  readWherePossible(db, async (isAsked) =>
    db
      .select({ workspaceId: workspaceCounter.workspaceId })
      .from(workspaceCounter)
      .where(
        acrossWorkspaces(
          "expired rows",
          sql`${workspaceCounter.workspaceId} > ${after}::bigint
          and ${workspaceCounter.eventSeq} > ${workspaceCounter.forgottenSeq}
          and ${oldestEvent(isAsked)} < now() - make_interval(days => ${days}::int)
          and ${isAsked(workspaceCounter.workspaceId)}`,
        ),
      )
      .orderBy(asc(workspaceCounter.workspaceId))
      .limit(WORKSPACES_AT_ONCE),
  );

/** The number up to which a workspace may forget its events now: at most `SWEPT_AT_ONCE` of them. */
async function forgettableUpTo(db: Queries, workspaceId: number, days: number, forgotten: number): Promise<number> {
  const oldest = await db
    .select({ seq: event.seq, isOld: sql<boolean>`${event.createdAt} < now() - make_interval(days => ${days}::int)` })
    .from(event)
    .where(and(eq(event.workspaceId, workspaceId), gt(event.seq, forgotten)))
    .orderBy(asc(event.seq))
    .limit(SWEPT_AT_ONCE);
  const firstYoung = oldest.find(({ isOld }) => !isOld)?.seq;
  return firstYoung === undefined ? (oldest.at(-1)?.seq ?? forgotten) : firstYoung - 1;
}

/** The number of the first event of a workspace that is still needed; null where none is. */
type FirstNeeded = (db: Queries, workspaceId: number) => Promise<number | null>;

/** Forgets some of the oldest events of a workspace, as its one writer; how many. */
const forgetSome = (db: Database, workspaceId: number, days: number, firstNeeded: FirstNeeded): Promise<number> =>
  db.change(workspaceId, { accountId: null, alone: true }, async (unit) => {
    const [counter] = await unit.db
      .select({ forgotten: workspaceCounter.forgottenSeq })
      .from(workspaceCounter)
      .where(eq(workspaceCounter.workspaceId, workspaceId));
    if (counter === undefined) return 0;
    const { forgotten } = counter;
    const old = await forgettableUpTo(unit.db, workspaceId, days, forgotten);
    const needed = await firstNeeded(unit.db, workspaceId);
    const upTo = needed === null ? old : Math.min(old, needed - 1);
    if (upTo <= forgotten) return 0;
    await unit.write(sql`
      delete from ${event} where ${event.workspaceId} = ${workspaceId}::bigint and ${event.seq} <= ${upTo}::bigint`);
    await unit.write(
      unit.db
        .update(workspaceCounter)
        .set({ forgottenSeq: upTo })
        .where(eq(workspaceCounter.workspaceId, workspaceId))
        .getSQL(),
    );
    return upTo - forgotten;
  });

/** Sweep: forgets events that are older than `EVENT_DAYS` and no longer needed, workspace by workspace. */
export const forgettingEvents = (firstNeeded: FirstNeeded): Sweep =>
  async function* (db, { events: days }) {
    if (days === null) return;
    const failures = new Map<number, unknown>();
    for (let after = 0; ; ) {
      const ids = (await withOldEvents(db, days, after)).map(({ workspaceId }) => workspaceId).sort((a, b) => a - b);
      const batch = ids.slice(0, WORKSPACES_AT_ONCE);
      for (const workspaceId of batch) {
        for (let removed = SWEPT_AT_ONCE; removed === SWEPT_AT_ONCE; ) {
          removed = await triedIn(failures, workspaceId, () => forgetSome(db, workspaceId, days, firstNeeded));
          if (removed > 0) yield removed;
        }
      }
      const last = batch.at(-1);
      if (last === undefined || batch.length < WORKSPACES_AT_ONCE) break;
      after = last;
    }
    mustBeWhole(failures);
  };
