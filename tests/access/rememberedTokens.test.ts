// What a process remembers of a token: nothing that its account can change, so that a change is seen at once in every process.

import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { Tokens, tokenHashesIn } from "../../src/access/tokens.js";
import { mail } from "../../src/db/schema/index.js";
import { anAddress, type Comment, ok, testApp, unique } from "../helpers/app.js";
import { MAIL } from "../mail/mailServer.js";

const app = await testApp(MAIL);
const { as, make, db } = app;
const other = await app.another({});

test("a comment shows its author's new name at once, in every process, and with an Idempotency-Key", async () => {
  const { card, owner } = await make.card();
  const path = `/cards/${card.publicId}`;
  for (const process of [app, other]) ok(await process.as(owner).get(path));
  const name = unique("Renamed");
  ok(await as(owner).put("/users/me", { name }));
  for (const process of [app, other]) {
    for (const headers of [{}, { "idempotency-key": randomUUID() }] as Record<string, string>[]) {
      const body = JSON.stringify({ comment: "Who wrote this?" });
      const url = `/api/v1${path}/comments`;
      const all = { ...headers, "content-type": "application/json" };
      const res = await process.as(owner).send<Comment>({ method: "POST", url, body, headers: all });
      expect(ok(res).author.name).toBe(name);
    }
  }
});

test("an invitation by mail names its sender as they are named now, in every process", async () => {
  const { workspace, owner } = await make.workspace();
  for (const process of [app, other]) ok(await process.as(owner).get(`/workspaces/${workspace.publicId}`));
  const name = unique("Renamed");
  ok(await as(owner).put("/users/me", { name }));
  for (const process of [app, other]) {
    const email = anAddress();
    ok(await process.as(owner).post(`/workspaces/${workspace.publicId}/members/invite`, { email }));
    const [sent] = await db.select({ data: mail.data }).from(mail).where(eq(mail.address, email));
    expect(sent?.data).toMatchObject({ inviterName: name });
  }
});

test("a remembered token has identifiers, scope and binding alone", async () => {
  const { token } = await make.user();
  const tokens = new Tokens(db);
  const [tokenHash = ""] = tokenHashesIn(`Bearer ${token}`);
  await tokens.callerOf(tokenHash);
  const remembered = await tokens.believedCallerOf(tokenHash);
  expect(Object.keys(remembered ?? {}).sort()).toEqual(["accountId", "claim", "isGuest", "publicId", "token"]);
  expect(remembered?.claim.isVerified).toBe(false);
});
