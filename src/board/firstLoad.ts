// The first read of a page: the caller, their workspaces and boards, and the offers of this service (clients section 1, First load).

import { z } from "zod";
import { BODY_LIMIT, LARGE_BODY_LIMIT } from "../api/largeBodies.js";
import { MAX_STREAMS } from "../api/streams.js";
import { personalProcedure } from "../api/trpc.js";
import type { Config } from "../config.js";
import { readStanding } from "../notification/notifications.js";
import { Types } from "../notification/shownNotifications.js";
import { SignInMethods, signInMethodsOf } from "../user/signInMethods.js";
import { OwnUser, ownUserOf } from "../user/userShapes.js";
import { VERSION } from "../version.js";
import { WorkspaceSummary } from "../workspace/workspaceShapes.js";
import { workspacesOf } from "../workspace/workspaces.js";
import { MarkedBoard, readMarkedBoards } from "./markedBoards.js";

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const Instance = z
  .object({
    version: z.string().meta({ description: "The version of the service.", examples: ["0.1.0"] }),
    methods: SignInMethods,
    limits: z
      .object({
        callsPerMinute: Whole.nullable().meta({ description: "Calls per user and minute; null: unlimited." }),
        openStreams: Whole.meta({ description: "Open streams per user." }),
        bodyBytes: Whole.meta({ description: "The size of a request's body." }),
        importBytes: Whole.meta({ description: "The size of a request's body for imports." }),
      })
      .meta({ description: "The maximum values of requests." }),
  })
  .meta({ id: "Instance", description: "What this service offers." });

const Start = z
  .object({
    user: OwnUser,
    workspaces: z.array(WorkspaceSummary).meta({ description: "The workspaces of the caller, sorted by name." }),
    favourites: z.array(MarkedBoard).meta({ description: "The favourites of the caller, sorted by name." }),
    recent: z
      .array(MarkedBoard)
      .meta({ description: "The boards that the caller opened last, at most 20, newest first." }),
    unreadCount: Whole.meta({ description: "The number of unread notifications." }),
    notificationId: Whole.meta({
      description:
        "The position of `GET /notifications/stream`: after this id it sends every notification that `unreadCount` does not count.",
    }),
    instance: Instance,
  })
  .meta({ id: "Start", description: "What a page reads first." });

const instanceOf = (config: Config): z.output<typeof Instance> => ({
  version: VERSION,
  methods: signInMethodsOf(config),
  limits: {
    callsPerMinute: config.rateLimitPerMinute === 0 ? null : config.rateLimitPerMinute,
    openStreams: MAX_STREAMS,
    bodyBytes: BODY_LIMIT,
    importBytes: LARGE_BODY_LIMIT,
  },
});

export const firstLoad = {
  start: personalProcedure
    .meta({
      etag: true,
      openapi: {
        method: "GET",
        path: "/users/me/start",
        tags: ["Accounts"],
        summary: "Get what a page reads first",
        description:
          "Returns the account, its workspaces, its favourite and recent boards, the number of its unread notifications, and what this service offers. Archived boards, and boards that the caller can no longer see, are left out. With `types=all`, notifications of all types are counted. A token bound to a workspace gets that workspace, its boards and its notifications. Requires any valid token.",
        successDescription: "The account, and what belongs to it.",
      },
    })
    .input(z.strictObject({ types: Types }).optional())
    .output(Start)
    .query(async ({ ctx, input }) => {
      const [workspaces, boards, standing] = await Promise.all([
        workspacesOf(ctx),
        readMarkedBoards(ctx),
        readStanding(ctx, input?.types),
      ]);
      return { user: ownUserOf(ctx.user), workspaces, ...boards, ...standing, instance: instanceOf(ctx.config) };
    }),
};
