// The column types that all tables share, so that identifiers, instants and workspace keys look alike everywhere.

import { bigint, foreignKey, type PgColumn, text, timestamp } from "drizzle-orm/pg-core";

/** The key of a row within its workspace, counted by `workspaceCounter.rowId`; never leaves the service. */
export const id = () => bigint("id", { mode: "number" }).notNull();

/** The key of a row outside any workspace, counted by the database; never leaves the service. */
export const ownId = () => bigint("id", { mode: "number" }).generatedByDefaultAsIdentity().primaryKey();

/** A reference to another table's `id`. */
export const ref = (name: string) => bigint(name, { mode: "number" });

/** The public identifier (contract section 1): 12 characters of `0-9A-Za-z`. */
export const publicId = () => text("public_id").notNull();

/** The tenant key, first in the keys of every table that belongs to a workspace. */
export const workspaceId = () => bigint("workspace_id", { mode: "number" }).notNull();

/** An instant with millisecond precision, ISO 8601 UTC text in TypeScript. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "string" });

export const createdAt = () => instant("created_at").notNull().defaultNow();

/** The case-folded form of a name (`nameKey`), which unique indexes compare: databases differ in folding case. */
export const nameKeyColumn = () => text("name_key").notNull();

/** The foreign key to a row of the same workspace, with which the row is deleted. */
export const belongsTo = (
  name: string,
  columns: [workspaceId: PgColumn, id: PgColumn],
  owner: { workspaceId: PgColumn; id: PgColumn },
) => foreignKey({ name, columns, foreignColumns: [owner.workspaceId, owner.id] }).onDelete("cascade");
