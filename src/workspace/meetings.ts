// The meetings of a workspace: planned, moved, listed with the days on which they take place, and called off (specification 4.3).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type WorkspaceAccess, workspaceFor } from "../access/guards.js";
import { change, type Signed } from "../api/context.js";
import { badRequest, notFound } from "../api/errors.js";
import { Instant, Name, Ok, ok, PublicId, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { changesTo, record, workspaceEvent } from "../events/log.js";
import { occurrencesOf } from "./recurrence.js";

const tags = ["Meetings"];
const ofWorkspace = { workspacePublicId: PublicId };
const RANGE_DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/** Not a link that a browser runs as a script; and no control characters, which browsers skip when they read a scheme. */
const CALL_LINK_PATTERN = "^(?! *[jJ][aA][vV][aA][sS][cC][rR][iI][pP][tT]:)[^\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]*$";
const callLinkExpression = new RegExp(CALL_LINK_PATTERN, "u");
const CallLink = Text(0, 500)
  .refine((link) => callLinkExpression.test(link), "Must not hold control characters, nor run as a script")
  .meta({
    pattern: CALL_LINK_PATTERN,
    description: "Where the call takes place: a link, a number, the name of a room.",
    examples: ["https://meet.example.org/weekly"],
  });
const RecurrenceName = z.enum(["none", "daily", "weekly", "biweekly", "monthly"]);

const Meeting = z.object({
  publicId: z.string(),
  title: z.string(),
  scheduledAt: Timestamp.nullable(),
  description: z.string(),
  callLink: z.string().nullable(),
  recurrence: RecurrenceName,
  occurrences: z.array(Timestamp),
});
type Meeting = z.output<typeof Meeting>;
type Stored = Omit<Meeting, "occurrences">;

const storedColumns = sql.raw(
  'public_id as "publicId", title, scheduled_at as "scheduledAt", description, call_link as "callLink", recurrence',
);

/** A meeting of the workspace, locked. @throws NOT_FOUND for one that is unknown or of another workspace. */
async function meetingFor(tx: Signed<Transaction>, { workspaceId }: WorkspaceAccess, publicId: string) {
  const [meeting] = await tx.db.rows<Stored & { id: number }>(sql`
    select id, ${storedColumns} from meeting
    where workspace_id = ${workspaceId}::bigint and public_id = ${publicId}::text for update`);
  if (meeting === undefined) throw notFound();
  return meeting;
}

interface Range {
  from: string;
  to: string;
}

/** The range of a query; null where none is given. */
function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Range | null {
  if (from === undefined && to === undefined) return null;
  if (from === undefined) throw badRequest("Required beside `to`", "from");
  if (to === undefined) throw badRequest("Required beside `from`", "to");
  const lengthMs = Date.parse(to) - Date.parse(from);
  if (lengthMs <= 0) throw badRequest("Must be later than `from`", "to");
  if (lengthMs > RANGE_DAYS_MAX * DAY_MS)
    throw badRequest(`Must be at most ${RANGE_DAYS_MAX} days after \`from\``, "to");
  return { from, to };
}

type Fields = { title: string } & { [K in keyof Stored]?: Stored[K] | undefined };

/** What changed. A call link opens the call to whoever has it, so the log tells that it changed and not from what to what. */
function changesBetween(current: Stored, wanted: Fields) {
  const changes = changesTo<Stored>(current, wanted);
  return changes === null || changes.callLink === undefined ? changes : { ...changes, callLink: {} };
}

async function createMeeting(tx: Signed<Transaction>, workspace: WorkspaceAccess, fields: Fields) {
  const { title, scheduledAt = null, description = "", callLink = null, recurrence = "none" } = fields;
  const publicId = newPublicId();
  await record(tx, workspace, {
    events: [workspaceEvent("meeting.saved", { meetingPublicId: publicId, title })],
    write: () => sql`
      insert into meeting (workspace_id, public_id, title, scheduled_at, description, call_link, recurrence)
      select ${workspace.workspaceId}::bigint, ${publicId}::text, ${title}::text, ${scheduledAt}::timestamptz,
        ${description}::text, ${callLink}::text, ${recurrence}::text
      from next returning id`,
  });
  return { publicId };
}

async function updateMeeting(tx: Signed<Transaction>, workspace: WorkspaceAccess, publicId: string, fields: Fields) {
  const { id, ...current } = await meetingFor(tx, workspace, publicId);
  const changes = changesBetween(current, fields);
  if (changes === null) return { publicId: current.publicId };
  const {
    title,
    scheduledAt = current.scheduledAt,
    description = current.description,
    callLink = current.callLink,
    recurrence = current.recurrence,
  } = fields;
  await record(tx, workspace, {
    events: [workspaceEvent("meeting.saved", { meetingPublicId: current.publicId, title, changes })],
    write: () => sql`
      update meeting set title = ${title}::text, scheduled_at = ${scheduledAt}::timestamptz,
        description = ${description}::text, call_link = ${callLink}::text, recurrence = ${recurrence}::text
      from next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint
      returning id`,
  });
  return { publicId: current.publicId };
}

export const meetings = {
  save: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/workspaces/{workspacePublicId}/meetings",
        tags,
        summary: "Create or update the workspace meeting",
        description:
          "Without `meetingPublicId` a new meeting: without `scheduledAt` not yet planned, without `recurrence` it takes place once. With it that meeting is updated, and a field that is left out keeps its value; one of another workspace is NOT_FOUND. Needs `meeting:edit`.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        meetingPublicId: PublicId.optional(),
        title: Name(255),
        scheduledAt: Instant.nullable().optional(),
        description: Text(0, 5000).optional(),
        callLink: CallLink.nullable().optional(),
        recurrence: RecurrenceName.optional(),
      }),
    )
    .output(z.object({ publicId: z.string() }))
    .mutation(({ ctx, input: { workspacePublicId, meetingPublicId, ...fields } }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, workspacePublicId, "meeting:edit", "share");
        return meetingPublicId === undefined
          ? createMeeting(tx, workspace, fields)
          : updateMeeting(tx, workspace, meetingPublicId, fields);
      }),
    ),

  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/meetings",
        tags,
        summary: "List the workspace meetings",
        description:
          "All meetings, by the time of their first occurrence, those of one time by creation, those not yet planned last. `from` and `to` come together: then `occurrences` holds the times from `from` until before `to` at which each takes place; else it is empty. At most 366 days. Recurrence counts in UTC; monthly on the 31st falls on the last day of shorter months. Needs `meeting:view`.",
      },
    })
    .input(z.object({ ...ofWorkspace, from: Instant.optional(), to: Instant.optional() }))
    .output(z.array(Meeting))
    .query(async ({ ctx, input: { workspacePublicId, ...query } }) => {
      const range = rangeOf(query);
      const { workspaceId } = await workspaceFor(ctx, workspacePublicId, "meeting:view");
      const rows = await ctx.db.rows<Stored>(sql`
        select ${storedColumns} from meeting where workspace_id = ${workspaceId}::bigint
        order by scheduled_at nulls last, id`);
      return rows.map((row) => ({ ...row, occurrences: range === null ? [] : occurrencesOf(row, range) }));
    }),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/meetings/{meetingPublicId}",
        tags,
        summary: "Delete a workspace meeting",
        description: "Deletes the meeting with all its occurrences. Needs `meeting:edit`.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, meetingPublicId: PublicId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, async (tx) => {
        const workspace = await workspaceFor(tx, input.workspacePublicId, "meeting:edit", "share");
        const { id, publicId, title } = await meetingFor(tx, workspace, input.meetingPublicId);
        await record(tx, workspace, {
          events: [workspaceEvent("meeting.deleted", { meetingPublicId: publicId, title })],
          write: () => sql`
            delete from meeting using next where workspace_id = ${workspace.workspaceId}::bigint and id = ${id}::bigint
            returning id`,
        });
        return ok;
      }),
    ),
};
