// What the entries of the client package export, apart from calls and the replica.

import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import * as board from "../packages/client/src/board/index.js";
import { createClient } from "../packages/client/src/client.js";
import * as client from "../packages/client/src/index.js";
import * as react from "../packages/client/src/react/index.js";
import * as webhooks from "../packages/client/src/webhooks/index.js";
import { ok, testApp } from "./helpers/app.js";

const { as, make, listening } = await testApp();
const url = await listening();

test("what the entries export is described in the guide", () => {
  const guide = readFileSync("docs/typescript-client.md", "utf8");
  const names = [client, board, react, webhooks].flatMap((entry) => Object.keys(entry));
  expect(names.length).toBeGreaterThan(12);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([]);
});

test("`pages` reads each page of a list when it is asked for, from a cursor on where one is given", async () => {
  const { owner, card } = await make.card();
  for (const comment of ["a", "b", "c", "d", "e"])
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment }));
  const query = vi.fn(createClient({ url, token: owner.token }).card.comments.list.query);
  const input = { cardPublicId: card.publicId, limit: 2 };
  const read: string[][] = [];
  let cursor: string | null = null;
  for await (const { items, nextCursor } of client.pages(query, input)) {
    read.push(items.map(({ comment }) => comment));
    cursor ??= nextCursor;
    expect(query).toHaveBeenCalledTimes(read.length);
  }
  expect(read).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  const [rest] = [await client.pages(query, { ...input, cursor: cursor ?? "" }).next()];
  expect(rest.value?.items.map(({ comment }) => comment)).toEqual(["c", "d"]);
});

test("`pages` of events ends with the last event that is there, also where a page is full, and where there is none", async () => {
  const { owner, workspace } = await make.card();
  const query = createClient({ url, token: owner.token }).workspace.events.query;
  const input = { workspacePublicId: workspace.publicId };
  const all = (await query(input)).items.map(({ id }) => id);
  for (const limit of [1, all.length - 1, all.length, 100]) {
    const read: number[] = [];
    for await (const { items } of client.pages(query, { ...input, limit })) read.push(...items.map(({ id }) => id));
    expect(read, `limit ${limit}`).toEqual(all);
  }
  for await (const page of client.pages(query, { ...input, after: all.at(-1) ?? 0 })) {
    expect(page).toEqual({ items: [], nextCursor: all.at(-1), hasMore: false });
  }
});

/** A secret as the service makes it, and a message with it. */
function message() {
  const secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64")}`;
  const body = JSON.stringify({ type: "webhook.test", timestamp: new Date().toISOString(), data: null });
  const signedAt = new Date();
  const headers = (by = secret, at = signedAt) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(by).sign("msg_1", at, body),
  });
  return { secret, body, headers };
}

test("a message that the secret signed is verified, whichever headers it comes with, also while the secret is replaced", async () => {
  const { secret, body, headers } = message();
  expect(await webhooks.verify(body, headers(), secret)).toEqual(JSON.parse(body));
  expect(await webhooks.verify(body, new Headers(headers()), secret)).toMatchObject({ type: "webhook.test" });
  const both = `${headers(message().secret)["webhook-signature"]} ${headers()["webhook-signature"]}`;
  expect(await webhooks.verify(body, { ...headers(), "webhook-signature": both }, secret)).toMatchObject({
    data: null,
  });
});

test("no other message is", async () => {
  const { secret, body, headers } = message();
  const { "webhook-signature": signature, ...unsigned } = headers();
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const refused: [string, webhooks.WebhookHeaders][] = [
    [`${body} `, headers()],
    [body, headers(message().secret)],
    [body, { ...headers(), "webhook-id": "msg_2" }],
    [body, { ...headers(), "webhook-signature": signature.replace("v1,", "v2,") }],
    [body, { ...headers(), "webhook-signature": "v1,no base64" }],
    [body, { ...headers(), "webhook-timestamp": "now" }],
    [body, headers(secret, minutes(-6))],
    [body, headers(secret, minutes(6))],
    [body, unsigned],
  ];
  for (const [text, sent] of refused)
    await expect(webhooks.verify(text, sent, secret)).rejects.toThrow(webhooks.WebhookError);
  await expect(webhooks.verify(body, headers(), "")).rejects.toThrow(TypeError);
});
