// The API's table of contents: every resource, mounted where third parties find it (contract section 3).

import { router } from "./api/trpc.js";
import { accounts } from "./user/accounts.js";
import { tokens } from "./user/tokens.js";

export const appRouter = router({
  user: router({ ...accounts, tokens: router(tokens) }),
});

/** The type that the TypeScript client is made of. */
export type AppRouter = typeof appRouter;
