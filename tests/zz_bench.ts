import { readConfig } from "../src/config.js";
import { openDatabase } from "../src/db/client.js";
import { openPostgres } from "../src/db/postgres.js";
import { createCallerFactory } from "../src/api/trpc.js";
import { appRouter } from "../src/router.js";
const db = openDatabase(openPostgres({ url: process.env.U ?? "", poolSize: 1, prepare: true, statementTimeoutMs: 60000 }));
const ctx: any = { db, config: readConfig({}), hasCredentials: true, terms: { idempotency: null, ifMatch: null, setHeader() {} }, inputOf: () => undefined,
  caller: { accountId: 1, publicId: "x", name: "A", email: null, image: null, isGuest: false, createdAt: "", token: { id: 1, kind: "session", scope: "write", boundWorkspaceId: null, boundWorkspacePublicId: null } } };
const caller: any = createCallerFactory(appRouter)(ctx);
for (const ws of ["ws0000000001", "ws0000000007"]) for (const q of ["zzzzqq", "a669818e", "typescript", "fix", "fix types", "f", "a", "e", "WB-77", "a b c d e f g h i j", "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9"]) {
  const times: number[] = []; let n = 0;
  for (let i = 0; i < 9; i += 1) { const t = performance.now(); const r = await caller.workspace.search({ workspacePublicId: ws, query: q }); times.push(performance.now() - t); n = r.items.length; }
  times.sort((a, b) => a - b);
  let pages = 0; let cursor: string | undefined; let last = 0;
  if (q === "f" || q === "a") do { const t = performance.now(); const r: any = await caller.workspace.search({ workspacePublicId: ws, query: q, limit: 100, cursor }); last = performance.now() - t; cursor = r.nextCursor ?? undefined; pages += 1; } while (cursor && pages < 40);
  console.log(ws.slice(-2), q.slice(0, 20), "items", n, "median", times[4]?.toFixed(1), "max", times[8]?.toFixed(1), pages ? `page ${pages}: ${last.toFixed(1)} ms` : "");
}
await db.close();
