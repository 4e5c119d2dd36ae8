// The statements that may touch rows of several workspaces, and why each must. Where the tables are distributed by workspace, such a
// statement asks several servers; every other one asks one. docs/operations.md lists the same.

import { type SQL, sql } from "drizzle-orm";

/** Why a statement is not bound to one workspace, by the name that stands in its text. */
export const ACROSS = {
  "workspaces of an account":
    "only the members of a workspace tell who belongs to it; asked when a person lists its workspaces, and when an account is renamed or closed",
  "notifications of an account":
    "a person reads and counts what it was told in all its workspaces, and streams number it across them",
  "answer kept for a key":
    "an Idempotency-Key belongs to the account, and the request that comes again need not name the workspace that the first one changed",
  "ends of followed logs":
    "a process with open streams looks twice a second at the workspaces that they follow, all at once",
  "webhooks with deliveries due":
    "the worker looks for work after commits in the workspaces that they touched, and in all of them from time to time",
  "what is over":
    "one process at a time finds what is over in all workspaces, a batch at a time; it is removed workspace by workspace",
} as const;

/** A statement that may touch several workspaces, by what it is for. */
export type AcrossName = keyof typeof ACROSS;

/** Marks a statement, or one of its conditions, as one that may touch rows of several workspaces. */
export const acrossWorkspaces = (name: AcrossName, statement: SQL): SQL =>
  sql`${sql.raw(`/* across workspaces: ${name} */ `)}${statement}`;
