// The statements that may touch rows of several workspaces, and why each must. Where the tables are distributed by workspace, such a
// statement asks several servers; every other one asks one. docs/citus.md lists the same.

import { type SQL, sql } from "drizzle-orm";

/** The reason why a statement is not bound to one workspace, by the name that stands in its text. */
export const ACROSS = {
  "workspaces of an account":
    "memberships are stored with their workspaces; used when a person lists their workspaces, when an account is renamed or closed, and when an instance admin lists accounts",
  "notifications of an account":
    "a person reads and counts the notifications of all their workspaces, and streams number them across workspaces",
  "boards that an account marked": "a person lists the favourites and recent boards of all their workspaces",
  "what an account wrote":
    "an export of an account holds the person's comments, favourites and recent boards in all workspaces, those left included",
  "ends of followed logs":
    "twice a second, a process with open streams checks all workspaces that they follow, in one statement",
  "webhooks with deliveries due":
    "the worker looks for due deliveries in the workspaces of recent commits, and from time to time in all workspaces",
  "cards that are due":
    "once a minute, one process at a time finds the cards of all workspaces whose assignees are to be reminded",
  "size of the instance": "an instance admin asks how many boards, cards and due deliveries there are",
  "list of workspaces": "an operator lists all workspaces by command, with how many people belong to each",
  "expired rows":
    "one process at a time finds expired rows in all workspaces, one batch at a time; they are removed workspace by workspace",
} as const;

/** A statement that may touch several workspaces, by what it is for. */
type AcrossName = keyof typeof ACROSS;

/** Marks a statement, or one of its conditions, as one that may touch rows of several workspaces. */
export const acrossWorkspaces = (name: AcrossName, statement: SQL): SQL =>
  sql`${sql.raw(`/* across workspaces: ${name} */ `)}${statement}`;
