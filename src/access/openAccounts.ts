// Open accounts: the condition for everything that a person does (capabilities section 4). A closed account is a tombstone; a
// disabled one keeps its memberships, but cannot be used.

import { and, isNull } from "drizzle-orm";
import { account } from "../db/schema/index.js";

/** That an account is neither closed nor disabled. */
export const isOpen = () => and(isNull(account.deletedAt), isNull(account.disabledAt));
