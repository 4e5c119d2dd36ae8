// Open accounts: the condition for everything that a person does (capabilities section 4). A closed account is a tombstone; a
// disabled one keeps its memberships, but cannot be used.

import { and, isNull } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { account } from "../db/schema/index.js";

type AccountColumns = Record<"deletedAt" | "disabledAt", AnyPgColumn>;

/** That an account is neither closed nor disabled. */
export const isOpen = (of: AccountColumns = account) => and(isNull(of.deletedAt), isNull(of.disabledAt));
