// The tables as the schema has them: which hold rows of workspaces, and what columns each has, in order.

import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../../../src/db/schema/index.js";

/** The column that holds a row's workspace. */
export const WORKSPACE = "workspace_id";

const tables = Object.values(schema).filter((value) => is(value, PgTable));

/** The columns of each table by its name. */
export const columnsOf: ReadonlyMap<string, readonly string[]> = new Map(
  tables.map((table) => [getTableName(table), Object.values(getTableColumns(table)).map(({ name }) => name)]),
);

/** Whether a table holds rows of workspaces. */
export const isOfWorkspaces = (table: string): boolean => columnsOf.get(table)?.includes(WORKSPACE) ?? false;
