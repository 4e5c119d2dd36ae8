// Repeated requests (contract section 1, Idempotency-Key).

import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { expectError, ok, testApp, unique } from "../helpers/app.js";

const { as, make, db } = await testApp();

const key = () => unique("key").replace(" ", "-");

const stored = (sent: string) => createHash("sha256").update(sent).digest("hex");

const send = (
  person: { token: string },
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  idempotencyKey: string,
  body?: object,
) =>
  as(person).send({
    method,
    url: `/api/v1${path}`,
    headers: { "idempotency-key": idempotencyKey },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const post = (person: { token: string }, url: string, body: object, idempotencyKey: string) =>
  send(person, "POST", url, idempotencyKey, body);

describe("an Idempotency-Key", () => {
  test("gives the first answer again and makes nothing twice", async () => {
    const { list, owner, board } = await make.list();
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    const first = await post(owner, "/cards", body, sameKey);
    const again = await post(owner, "/cards", body, sameKey);
    expect(ok(again)).toEqual(ok(first));
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    expect(again.headers["idempotent-replayed"]).toBe("true");
    const read = ok(await as(owner).get<{ lists: { cards: unknown[] }[] }>(`/boards/${board.publicId}`));
    expect(read.lists.flatMap(({ cards }) => cards)).toHaveLength(1);
  });

  test("of 50 parallel copies has one effect and 50 equal answers", async () => {
    const { list, owner } = await make.list();
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(owner, "/cards", body, sameKey)));
    expect(new Set(answers.map((answer) => JSON.stringify(ok(answer)))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(49);
    const [row] = await db.rows<{ n: number }>(sql`
      select count(*) as n from card c join list l on l.workspace_id = c.workspace_id and l.id = c.list_id where l.public_id = ${list.publicId}::text`);
    expect(row?.n).toBe(1);
  });

  test("with another body, path or method is CONFLICT", async () => {
    const { list, owner, card } = await make.card();
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    ok(await post(owner, "/cards", body, sameKey));
    expectError(await post(owner, "/cards", { ...body, title: "Twice" }, sameKey), "CONFLICT");
    expectError(await post(owner, `/cards/${card.publicId}/duplicate`, {}, sameKey), "CONFLICT");
    expectError(await send(owner, "PUT", `/cards/${card.publicId}`, sameKey, { title: "Other" }), "CONFLICT");
  });

  test("of changes of an account with other bodies at the same time is CONFLICT for all but one", async () => {
    const person = await make.user();
    const sameKey = key();
    const answers = await Promise.all(
      ["Ada", "Bea", "Cem"].map((name) => send(person, "PUT", "/users/me", sameKey, { name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectError(answer, "CONFLICT");
  });

  test("keeps a toggle where the first call put it", async () => {
    const { card, board, owner } = await make.card();
    const { label } = await make.label({ board });
    const [path, sameKey] = [`/cards/${card.publicId}/labels/${label.publicId}`, key()];
    for (const _ of [1, 2, 3]) expect(ok(await send(owner, "PUT", path, sameKey))).toEqual({ newLabel: true });
  });

  test("leaves nothing in the database from which the password of its request could be guessed", async () => {
    const person = await make.user();
    const [body, sameKey] = [{ currentPassword: person.password, newPassword: "another horse battery" }, key()];
    ok(await send(person, "PUT", "/users/me/password", sameKey, body));
    const kept = await db.rows<{ requestHash: string; row: string }>(sql`
      select request_hash as "requestHash", to_jsonb(k)::text as row from idempotency_key k where key = ${stored(sameKey)}::text`);
    expect(kept).toHaveLength(1);
    expect(kept[0]?.row).not.toContain(sameKey);
    const guess = `PUT /api/v1/users/me/password\n${JSON.stringify(body)}`;
    expect(kept[0]?.requestHash).not.toBe(stored(guess));
  });

  test("belongs to its user, and forgets failures", async () => {
    const { list, owner, workspace } = await make.list();
    const other = await make.member(workspace, "member");
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    expectError(await post(owner, "/cards", { ...body, listPublicId: "nothing-here" }, sameKey), "FORBIDDEN");
    const mine = ok(await post(owner, "/cards", body, sameKey));
    expect(ok(await post(other, "/cards", body, sameKey))).not.toEqual(mine);
  });

  test("is over after 24 hours", async () => {
    const { list, owner } = await make.list();
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    const first = ok(await post(owner, "/cards", body, sameKey));
    await db.rows(
      sql`update idempotency_key set created_at = now() - interval '25 hours' where key = ${stored(sameKey)}::text`,
    );
    expect(ok(await post(owner, "/cards", body, sameKey))).not.toEqual(first);
  });

  test("that is over gives nothing to a call that fails", async () => {
    const { list, owner } = await make.list();
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    ok(await post(owner, "/cards", body, sameKey));
    ok(await as(owner).delete(`/lists/${list.publicId}`));
    ok(await post(owner, "/cards", body, sameKey));
    await db.rows(
      sql`update idempotency_key set created_at = now() - interval '25 hours' where key = ${stored(sameKey)}::text`,
    );
    expectError(await post(owner, "/cards", body, sameKey), "FORBIDDEN");
  });

  test("is checked after token, scope and binding", async () => {
    const { list, owner, workspace } = await make.list();
    const elsewhere = await make.workspace({ owner });
    const token = async (fields: object) => ({
      token: ok(await as(owner).post<{ accessToken: string }>("/tokens", { name: "t", scope: "write", ...fields }))
        .accessToken,
    });
    const [body, sameKey] = [{ title: "Once", listPublicId: list.publicId }, key()];
    const first = ok(await post(owner, "/cards", body, sameKey));
    expectError(await post(await token({ scope: "read" }), "/cards", body, sameKey), "FORBIDDEN");
    const boundElsewhere = await token({ workspacePublicId: elsewhere.workspace.publicId });
    expectError(await post(boundElsewhere, "/cards", body, sameKey), "FORBIDDEN");
    const boundHere = await token({ workspacePublicId: workspace.publicId });
    expect(ok(await post(boundHere, "/cards", body, sameKey))).toEqual(first);
  });

  test("counts in each workspace by itself: two requests at once in two workspaces both run, and each can be repeated", async () => {
    const { list, owner } = await make.list();
    const { board } = await make.board({ owner });
    const { list: elsewhere } = await make.list({ board });
    const sameKey = key();
    const cards = () =>
      [list, elsewhere].map(({ publicId }) =>
        post(owner, "/cards", { title: "Once", listPublicId: publicId }, sameKey),
      );
    const first = await Promise.all(cards());
    const again = await Promise.all(cards());
    expect(again.map(ok)).toEqual(first.map(ok));
    for (const { headers } of again) expect(headers["idempotent-replayed"]).toBe("true");
  });

  test("counts in the workspace also for operations that change nothing there, and for marks of a person", async () => {
    const owner = await make.user();
    const [one, two] = [await make.board({ owner }), await make.board({ owner })];
    const [importing, marking] = [key(), key()];
    for (const { board, workspace } of [one, two]) {
      const rows = { workspacePublicId: workspace.publicId, boardName: "B", rows: [["A"]], mapping: { title: 0 } };
      ok(await post(owner, "/imports/csv/boards", { ...rows, dryRun: true }, importing));
      expectError(await post(owner, "/imports/csv/boards", rows, importing), "CONFLICT");
      ok(await send(owner, "PUT", `/boards/${board.publicId}`, marking, { isFavourite: true }));
    }
  });

  test("counts in the workspace for notifications, where a bound token reads only some", async () => {
    const reader = await make.user();
    const places = [await make.card(), await make.card()];
    for (const { workspace, card } of places) {
      await make.member(workspace, "member", reader);
      for (const _ of ["first", "second"]) await make.comment({ card, comment: `@${reader.email}` });
    }
    const received = ok(await as(reader).get<{ publicId: string }[]>("/notifications"));
    const [sameKey, allKey] = [key(), key()];
    for (const one of [received.at(0), received.at(-1)]) {
      ok(await post(reader, `/notifications/${one?.publicId}/read`, {}, sameKey));
    }
    const bound = await make.token(reader, { workspacePublicId: places[0]?.workspace.publicId });
    for (const caller of [bound, reader, bound]) {
      expect(ok(await post(caller, "/notifications/read-all", {}, allKey))).toEqual({ count: 1 });
    }
  });

  test("of a new workspace counts per user, and gives nothing to a token that may make none", async () => {
    const owner = await make.user();
    const [name, sameKey] = [unique("Workspace"), key()];
    const first = ok(await post(owner, "/workspaces", { name }, sameKey));
    const { publicId } = first as { publicId: string };
    expect(ok(await post(owner, "/workspaces", { name }, sameKey))).toEqual(first);
    expectError(await post(owner, "/workspaces", { name: unique("Workspace") }, sameKey), "CONFLICT");
    const bound = await make.token(owner, { workspacePublicId: publicId });
    expectError(await post(bound, "/workspaces", { name }, sameKey), "FORBIDDEN");
  });

  test("is refused where the answer is a secret, and where it is no key", async () => {
    const owner = await make.user();
    expectError(await post(owner, "/tokens", { name: "t", scope: "read" }, key()), "BAD_REQUEST");
    for (const wrong of ["", "with space", "é", "x".repeat(256)]) {
      expectError(await post(owner, "/workspaces", { name: "W" }, wrong), "BAD_REQUEST");
    }
  });

  test("is ignored on a GET", async () => {
    const { card, owner } = await make.card();
    const [path, sameKey] = [`/cards/${card.publicId}`, key()];
    ok(await send(owner, "GET", path, sameKey));
    ok(await as(owner).put(path, { title: "Changed meanwhile" }));
    const again = await send(owner, "GET", path, sameKey);
    expect(ok(again)).toMatchObject({ title: "Changed meanwhile" });
    expect(again.headers).not.toHaveProperty("idempotent-replayed");
  });

  test("of a DELETE gives the first answer again, and deletes nothing else", async () => {
    const { card, comment, owner } = await make.comment();
    const [path, sameKey] = [`/cards/${card.publicId}/comments/${comment.publicId}`, key()];
    const first = await send(owner, "DELETE", path, sameKey);
    const again = await send(owner, "DELETE", path, sameKey);
    expect(ok(again)).toEqual(ok(first));
    expect(again.headers["idempotent-replayed"]).toBe("true");
    for (const name of ["operation-id", "event-id"]) {
      expect(again.headers[name]).toBe(first.headers[name]);
      expect(first.headers).toHaveProperty(name);
    }
    expectError(await send(owner, "DELETE", `/cards/${card.publicId}`, sameKey), "CONFLICT");
    ok(await as(owner).get(`/cards/${card.publicId}`));
    expectError(await send(owner, "DELETE", path, key()), "NOT_FOUND");
  });

  test("of a DELETE outlives the workspace, the access and the token that it ends", async () => {
    const { workspace, owner } = await make.workspace();
    const member = await make.member(workspace, "member");
    const revoked = ok(await as(owner).post<{ publicId: string }>("/tokens", { name: "t", scope: "read" }));
    const deletions = [
      [member, `/workspaces/${workspace.publicId}/members/${member.memberPublicId}`],
      [owner, `/tokens/${revoked.publicId}`],
      [owner, `/workspaces/${workspace.publicId}`],
    ] as const;
    for (const [person, path] of deletions) {
      const sameKey = key();
      const first = ok(await send(person, "DELETE", path, sameKey));
      const again = await send(person, "DELETE", path, sameKey);
      expect(ok(again)).toEqual(first);
      expect(again.headers["idempotent-replayed"]).toBe("true");
    }
    expectError(await as(owner).get(`/workspaces/${workspace.publicId}`), "NOT_FOUND");
  });

  test("is kept for calls that change nothing as well", async () => {
    const owner = await make.user();
    const [body, sameKey] = [{ csv: "Title\nA" }, key()];
    ok(await post(owner, "/imports/csv/preview", body, sameKey));
    const again = await post(owner, "/imports/csv/preview", body, sameKey);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expectError(await post(owner, "/imports/csv/preview", { csv: "Title\nB" }, sameKey), "CONFLICT");
  });
});
