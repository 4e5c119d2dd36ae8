// The meetings of a workspace: created, updated, listed with their occurrences, and deleted (specification 4.3).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { workspaceFor } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { definedOf } from "../api/defined.js";
import { badRequest, notFound } from "../api/errors.js";
import { Instant, MeetingId, Name, Ok, ok, Text, Timestamp } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { meeting } from "../db/schema/index.js";
import { changesTo, workspaceEvent } from "../events/log.js";
import { occurrencesOf } from "./recurrence.js";
import { ofWorkspace } from "./workspaceShapes.js";

const tags = ["Meetings"];
const RANGE_DAYS_MAX = 366;
const MEETINGS_MAX = 200;
/** The maximum in one response; 200 daily meetings would have 73 200 occurrences in a year. */
const OCCURRENCES_MAX = 5000;
const DAY_MS = 86_400_000;

/** Either case of each letter, since a pattern of the document has no flags. */
const anyCase = (word: string) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/**
 * Not a link that a browser runs as a script or that opens a file: its scheme is read behind blanks, which browsers or front ends skip.
 * No control characters, which browsers skip in it.
 */
const CALL_LINK_PATTERN = `^(?!\\s*(?:${["javascript", "data", "vbscript", "file"].map(anyCase).join("|")}):)[^\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]*$`;
const callLinkExpression = new RegExp(CALL_LINK_PATTERN, "u");
const CallLink = Text(0, 500)
  .refine(
    (link) => callLinkExpression.test(link),
    "Must not contain control characters or be a javascript:, data:, vbscript: or file: link",
  )
  .meta({
    pattern: CALL_LINK_PATTERN,
    description: "Where the call takes place: a link, a phone number or the name of a room.",
    examples: ["https://meet.example.org/weekly"],
  });
const RecurrenceName = z
  .enum(["none", "daily", "weekly", "biweekly", "monthly"])
  .meta({ description: "How often the meeting takes place; `none`: once." });

const Meeting = z
  .object({
    publicId: z.string(),
    title: z.string(),
    scheduledAt: Timestamp.nullable().meta({
      description: "The time of the first meeting; null if it is not planned.",
    }),
    description: z.string(),
    callLink: z.string().nullable().meta({ description: "Where the call takes place, or null." }),
    recurrence: RecurrenceName,
    occurrences: z
      .array(Timestamp)
      .meta({ description: "When the meeting takes place between `from` and `to`; empty without them." }),
  })
  .meta({ id: "Meeting", description: "A meeting of a workspace, held once or repeatedly." });

const SavedMeeting = z
  .object({ publicId: z.string() })
  .meta({ id: "SavedMeeting", description: "The meeting that was created or updated." });
type Meeting = z.output<typeof Meeting>;
type Stored = Omit<Meeting, "occurrences">;

const storedColumns = {
  publicId: meeting.publicId,
  title: meeting.title,
  scheduledAt: meeting.scheduledAt,
  description: meeting.description,
  callLink: meeting.callLink,
  recurrence: meeting.recurrence,
};

/** A meeting of the workspace. @throws NOT_FOUND for one that is unknown or of another workspace. */
async function meetingFor(tx: Tx, publicId: string) {
  const [row] = await tx.db
    .select({ id: meeting.id, ...storedColumns })
    .from(meeting)
    .where(and(eq(meeting.workspaceId, tx.workspaceId), eq(meeting.publicId, publicId)));
  if (row === undefined) throw notFound();
  return row;
}

interface Range {
  from: string;
  to: string;
}

/** The range of a query; null if none is given. */
function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Range | null {
  if (from === undefined && to === undefined) return null;
  if (from === undefined) throw badRequest("Required together with `to`", "from");
  if (to === undefined) throw badRequest("Required together with `from`", "to");
  const lengthMs = Date.parse(to) - Date.parse(from);
  if (lengthMs <= 0) throw badRequest("Must be later than `from`", "to");
  if (lengthMs > RANGE_DAYS_MAX * DAY_MS)
    throw badRequest(`Must be at most ${RANGE_DAYS_MAX} days after \`from\``, "to");
  return { from, to };
}

type Fields = { title: string } & { [K in keyof Stored]?: Stored[K] | undefined };

/** The changes. A call link gives access to the call, so the log only records that it changed. */
function changesBetween(current: Stored, wanted: Fields) {
  const changes = changesTo<Stored>(current, wanted);
  return changes === null || changes.callLink === undefined ? changes : { ...changes, callLink: {} };
}

async function createMeeting(tx: Tx, fields: Fields) {
  const count = await tx.db.$count(meeting, eq(meeting.workspaceId, tx.workspaceId));
  if (count >= MEETINGS_MAX) throw badRequest(`A workspace has at most ${MEETINGS_MAX} meetings`);
  const { title, scheduledAt = null, description = "", callLink = null, recurrence = "none" } = fields;
  const publicId = tx.newPublicId();
  const made = { publicId, title, scheduledAt, description, recurrence };
  tx.add(meeting, { id: tx.newRowId(), ...made, callLink });
  tx.log(workspaceEvent("meeting.saved", { meetingPublicId: publicId, title, meeting: made }));
  return { publicId };
}

async function updateMeeting(tx: Tx, publicId: string, fields: Fields) {
  const { id, ...current } = await meetingFor(tx, publicId);
  const changes = changesBetween(current, fields);
  if (changes !== null) {
    tx.set(meeting, { id }, definedOf(fields));
    tx.log(workspaceEvent("meeting.saved", { meetingPublicId: publicId, title: fields.title, changes }));
  }
  return { publicId };
}

/** Each meeting with its occurrences within a range, if one is given. */
function withOccurrences(rows: Stored[], range: Range | null): Meeting[] {
  let count = 0;
  return rows.map((row) => {
    const occurrences = range === null ? [] : occurrencesOf(row, range);
    count += occurrences.length;
    if (count > OCCURRENCES_MAX) {
      throw badRequest(`The range contains more than ${OCCURRENCES_MAX} occurrences`, "to");
    }
    return { ...row, occurrences };
  });
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
          "Creates a meeting or, with `meetingPublicId`, updates one. A new meeting without `scheduledAt` is not planned yet; without `recurrence` it takes place once. An update keeps the fields that are left out. A meeting of another workspace is NOT_FOUND. At most 200 meetings per workspace. Requires `meeting:edit`.",
        successDescription: "The meeting was created or updated.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        meetingPublicId: MeetingId.optional(),
        title: Name(255),
        scheduledAt: Instant.nullable()
          .meta({ description: "The time of the first meeting, as ISO 8601 with a zone; null if it is not planned." })
          .optional(),
        description: Text(0, 5000).optional(),
        callLink: CallLink.nullable()
          .meta({ description: "Where the call takes place: a link, a phone number or the name of a room." })
          .optional(),
        recurrence: RecurrenceName.optional(),
      }),
    )
    .output(SavedMeeting)
    .mutation(({ ctx, input: { workspacePublicId, meetingPublicId, ...fields } }) =>
      change(ctx, workspacePublicId, workspaceFor, "meeting:edit", async (tx) => {
        return meetingPublicId === undefined ? createMeeting(tx, fields) : updateMeeting(tx, meetingPublicId, fields);
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
          "Lists all meetings, sorted by the time of their first occurrence and then by creation; meetings without a time come last. `from` and `to` must be given together. With them, `occurrences` holds the times of each meeting from `from` (inclusive) to `to` (exclusive); without them, it is empty. The range is at most 366 days; a range with more than 5000 occurrences is BAD_REQUEST. Recurrence is computed in UTC; a monthly meeting on the 31st falls on the last day of shorter months. Requires `meeting:view`.",
        successDescription: "The meetings.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        from: Instant.meta({ description: "Where the range of `occurrences` begins. Requires `to`." }).optional(),
        to: Instant.meta({
          description: "Where the range of `occurrences` ends, exclusive. Requires `from`.",
        }).optional(),
      }),
    )
    .output(z.array(Meeting))
    .query(async ({ ctx, input: { workspacePublicId, ...query } }) => {
      const range = rangeOf(query);
      const { workspaceId } = await workspaceFor(ctx, workspacePublicId, "meeting:view");
      const rows = await ctx.db
        .select(storedColumns)
        .from(meeting)
        .where(eq(meeting.workspaceId, workspaceId))
        .orderBy(sql`${meeting.scheduledAt} nulls last`, meeting.id);
      return withOccurrences(rows, range);
    }),

  delete: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/workspaces/{workspacePublicId}/meetings/{meetingPublicId}",
        tags,
        summary: "Delete a workspace meeting",
        description: "Deletes a meeting with all its occurrences. Requires `meeting:edit`.",
        successDescription: "The meeting was deleted.",
      },
    })
    .input(z.strictObject({ ...ofWorkspace, meetingPublicId: MeetingId }))
    .output(Ok)
    .mutation(({ ctx, input }) =>
      change(ctx, input.workspacePublicId, workspaceFor, "meeting:edit", async (tx) => {
        const { id, publicId, title } = await meetingFor(tx, input.meetingPublicId);
        tx.remove(meeting, { id });
        tx.log(workspaceEvent("meeting.deleted", { meetingPublicId: publicId, title }));
        return ok;
      }),
    ),
};
