// Webhooks as records (specification 4.21; contract sections 3 and 6).

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/events/eventShapes.js";
import { expectError, ok, testApp, type Workspace } from "../helpers/app.js";

/** The part of the document that is read here. */
interface Document {
  paths: {
    "/workspaces/{workspacePublicId}/webhooks": {
      post: {
        requestBody: {
          content: { "application/json": { schema: { properties: { events: { items: { enum: string[] } } } } } };
        };
      };
    };
  };
}

const { as, make, db, another, logs } = await testApp();

interface Webhook {
  publicId: string;
  secret?: string;
}

const fields = { name: "Deploys", url: "https://hooks.example.org/in", events: ["card.*", "board.created"] };
const path = (workspace: Workspace) => `/workspaces/${workspace.publicId}/webhooks`;

async function eventData(workspace: Workspace) {
  return db.rows<{ type: string; data: object }>(sql`
    select e.type, e.data from event e join workspace w on w.id = e.workspace_id
    where w.public_id = ${workspace.publicId}::text order by e.seq`);
}

test("a webhook is made with a secret that is shown once, listed, changed and deleted, each with its event", async () => {
  const { workspace, owner } = await make.workspace();
  const { secret, ...webhook } = ok(await as(owner).post<Webhook>(path(workspace), fields));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toEqual({
    ...fields,
    publicId: webhook.publicId,
    active: true,
    createdAt: expect.any(String),
    lastStatus: null,
  });
  expect(ok(await as(owner).get(path(workspace)))).toEqual([webhook]);

  const one = `${path(workspace)}/${webhook.publicId}`;
  const changed = { url: "https://hooks.example.org/secret-token", active: false };
  expect(ok(await as(owner).put(one, changed))).toEqual({ ...webhook, ...changed });
  expect(ok(await as(owner).put(one, { ...changed, events: fields.events }))).toEqual({ ...webhook, ...changed });
  ok(await as(owner).delete(one));
  expectError(await as(owner).delete(one), "NOT_FOUND");
  expect(ok(await as(owner).get(path(workspace)))).toEqual([]);

  const logged = await eventData(workspace);
  expect(logged.map(({ type }) => type)).toEqual(["webhook.created", "webhook.updated", "webhook.deleted"]);
  const text = JSON.stringify([logged, logs]);
  expect(text).not.toContain("secret-token");
  expect(text).not.toContain(String(secret));
});

test("a webhook that fails begins anew with another URL or when it is switched on, not with another name", async () => {
  const { workspace, owner } = await make.workspace();
  const { publicId } = ok(await as(owner).post<Webhook>(path(workspace), { ...fields, active: false }));
  const failingAfter = async (changes: object) => {
    await db.rows(sql`update webhook set failing_since = now(), active = false where public_id = ${publicId}::text`);
    ok(await as(owner).put(`${path(workspace)}/${publicId}`, changes));
    const [row] = await db.rows<{ isFailing: boolean }>(
      sql`select failing_since is not null as "isFailing" from webhook where public_id = ${publicId}::text`,
    );
    return row?.isFailing;
  };
  expect(await failingAfter({ url: "https://hooks.example.org/repaired" })).toBe(false);
  expect(await failingAfter({ active: true })).toBe(false);
  expect(await failingAfter({ name: "Deploys of today", events: ["list.*"] })).toBe(true);
});

test("webhooks are for admins alone, and one of another workspace is NOT_FOUND", async () => {
  const { workspace, owner } = await make.workspace();
  const { publicId } = ok(await as(owner).post<Webhook>(path(workspace), fields));
  const member = await make.member(workspace, "member");
  expectError(await as(member).get(path(workspace)), "FORBIDDEN");
  expectError(await as(member).post(path(workspace), fields), "FORBIDDEN");
  expectError(await as(member).delete(`${path(workspace)}/${publicId}`), "FORBIDDEN");
  const other = await make.workspace();
  expectError(await as(other.owner).put(`${path(other.workspace)}/${publicId}`, { name: "Mine" }), "NOT_FOUND");
});

test("a workspace has at most 20 webhooks, however many are made at once", async () => {
  const { workspace, owner } = await make.workspace();
  const answers = await Promise.all(Array.from({ length: 23 }, () => as(owner).post(path(workspace), fields)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  for (const refused of answers.filter(({ status }) => status !== 200)) expectError(refused, "BAD_REQUEST");
  expect(ok(await as(owner).get<Webhook[]>(path(workspace)))).toHaveLength(20);
});

const FORBIDDEN_URLS = [
  "ftp://example.org/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "not a url",
  "https://user:password@example.org/",
  "http://localhost/",
  "http://LOCALHOST:8080/",
  "http://localhost./",
  "http://api.localhost/",
  "http://127.0.0.1/",
  "http://127.0.0.1./",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://①②⑦.0.0.1/",
  "http://0.0.0.0/",
  "http://10.1.2.3/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://100.64.0.1/",
  "http://192.0.2.1/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::]/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:7f00:1::]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://[ff02::1]/",
  "http://[2001:db8::1]/",
];

describe("the URL of a webhook", () => {
  test.each(FORBIDDEN_URLS)("%s is refused, on creation and on change", async (url) => {
    const { workspace, owner } = await make.workspace();
    expectError(await as(owner).post(path(workspace), { ...fields, url }), "BAD_REQUEST", ["url"]);
    const { publicId } = ok(await as(owner).post<Webhook>(path(workspace), fields));
    expectError(await as(owner).put(`${path(workspace)}/${publicId}`, { url }), "BAD_REQUEST", ["url"]);
  });

  test("may be public by name or address, and private where the operator allows it", async () => {
    const { workspace, owner } = await make.workspace();
    for (const url of [
      "http://example.org:8080/x?y=z",
      "https://example.org/@team?to=a@b",
      "https://8.8.8.8/",
      "https://[2001:4860:4860::8888]/",
    ]) {
      ok(await as(owner).post(path(workspace), { ...fields, url }));
    }
    const allowing = await another({ WEBHOOK_ALLOW_PRIVATE: "true" });
    ok(await allowing.as(owner).post(path(workspace), { ...fields, url: "http://127.0.0.1:9000/" }));
    expectError(await allowing.as(owner).post(path(workspace), { ...fields, url: "ftp://127.0.0.1/" }), "BAD_REQUEST");
  });
});

test("events are types, prefixes of them, or all; anything else is refused by its place", async () => {
  const { workspace, owner } = await make.workspace();
  const events = [...EVENT_TYPES, "*", "checklist.*", "checklist.item.*", "board.member.*"];
  ok(await as(owner).post(path(workspace), { ...fields, events }));
  for (const wrong of ["card", "card.flown", "car.*", "**", ".*", ""]) {
    const refused = await as(owner).post(path(workspace), { ...fields, events: ["card.*", wrong] });
    expectError(refused, "BAD_REQUEST", ["events", 1]);
  }
  expectError(await as(owner).post(path(workspace), { ...fields, events: [] }), "BAD_REQUEST", ["events"]);
});

test("the document names every filter that a webhook takes, and each of them is taken", async () => {
  const { workspace, owner } = await make.workspace();
  const { body: document } = await as(owner).send<Document>({ method: "GET", url: "/openapi.json" });
  const { events } =
    document.paths["/workspaces/{workspacePublicId}/webhooks"].post.requestBody.content["application/json"].schema
      .properties;
  const { enum: filters } = events.items;
  expect(filters).toEqual(expect.arrayContaining([...EVENT_TYPES, "*", "checklist.*", "checklist.item.*"]));
  ok(await as(owner).post(path(workspace), { ...fields, events: filters }));
});
