// Conditional requests on boards and cards (contract section 1, ETag).

import { describe, expect, test } from "vitest";
import { expectError, ok, testApp, unique } from "../helpers/app.js";

const { as, make, anonymous } = await testApp();

type Headers = Record<string, string>;

const get = (person: { token: string }, path: string, headers: Headers = {}) =>
  as(person).send({ method: "GET", url: `/api/v1${path}`, headers });

const put = (person: { token: string }, path: string, headers: Headers, body: object) =>
  as(person).send({ method: "PUT", url: `/api/v1${path}`, headers, body: JSON.stringify(body) });

/** What the entity tag counts: everything but where the answer stands in the log. */
const withoutPosition = (body: unknown) => JSON.stringify({ ...Object(body), eventId: undefined });

async function tagged(person: { token: string }, path: string) {
  const answer = await get(person, path);
  return { ...answer, etag: String(answer.headers.etag) };
}

describe("the answer of a board and of a card", () => {
  test("has a strong entity tag, may be kept by its reader alone, and is 304 for who has it", async () => {
    const { board, card, owner } = await make.card();
    for (const path of [`/boards/${board.publicId}`, `/cards/${card.publicId}`]) {
      const first = await tagged(owner, path);
      expect(first.etag).toMatch(/^"[\w-]{27}"$/);
      expect(first.headers["cache-control"]).toBe("private, no-cache");
      expect(first.headers.vary).toContain("Authorization");
      for (const known of [first.etag, `W/${first.etag}`, `"other", ${first.etag}`, "*"]) {
        const again = await get(owner, path, { "if-none-match": known });
        expect(again.status).toBe(304);
        expect(again.headers.etag).toBe(first.etag);
        expect(again.text).toBe("");
      }
      const other = await get(owner, path, { "if-none-match": '"other"' });
      expect(other.status).toBe(200);
    }
  });

  test("is refused before it is compared", async () => {
    const { board } = await make.board();
    const stranger = await make.user();
    const path = `/boards/${board.publicId}`;
    expectError(await get(stranger, path, { "if-none-match": "*" }), "FORBIDDEN");
    expectError(
      await anonymous.send({ method: "GET", url: `/api/v1${path}`, headers: { "if-none-match": "*" } }),
      "UNAUTHORIZED",
    );
  });

  test("has another tag exactly when another byte but for its `eventId`, whatever changed", async () => {
    const { board, list, card, owner, workspace } = await make.card();
    const { label } = await make.label({ board });
    const { checklist } = await make.checklist({ card });
    const { tag } = await make.tag({ workspace });
    const { item } = await make.item({ checklist });
    const { comment } = await make.comment({ card });
    const other = await make.card({ list });
    const member = await make.member(workspace, "member");
    const guest = await make.member(workspace, "guest");
    const call = as(owner);
    const changes = [
      () => call.put(`/boards/${board.publicId}`, { name: "Renamed" }),
      () => call.put(`/boards/${board.publicId}`, { isFavourite: true }),
      () => call.put(`/boards/${board.publicId}`, {}),
      () => call.put(`/boards/${board.publicId}/tags/${tag.publicId}`),
      () => call.put(`/workspaces/${workspace.publicId}/tags/${tag.publicId}`, { name: "Other" }),
      () => call.put(`/workspaces/${workspace.publicId}`, { cardPrefix: "NEW" }),
      () => call.put(`/workspaces/${workspace.publicId}`, { description: "Not shown on a board" }),
      () => call.put(`/lists/${list.publicId}`, { name: "Other" }),
      () => call.post("/lists", { name: "More", boardPublicId: board.publicId }),
      () => call.put(`/labels/${label.publicId}`, { colourCode: "#000000" }),
      () => call.put(`/cards/${card.publicId}/labels/${label.publicId}`),
      () => call.put(`/cards/${card.publicId}/members/${member.memberPublicId}`),
      () => as(member).put("/users/me", { name: "Somebody else" }),
      () => call.post("/cards", { title: "Above", listPublicId: list.publicId, index: 0 }),
      () => call.put(`/cards/${card.publicId}`, { completed: true }),
      () => call.put(`/cards/${card.publicId}`, { completed: true }),
      () => call.post(`/checklists/${checklist.publicId}/items`, { title: "Item" }),
      () => call.put(`/checklists/${checklist.publicId}`, { name: "Only the card shows it" }),
      () => call.post(`/cards/${card.publicId}/archive`),
      () => call.post(`/cards/${card.publicId}/unarchive`),
      () => call.put(`/boards/${board.publicId}`, { visibility: "private", slug: `other-${Date.now()}` }),
      () => call.post(`/boards/${board.publicId}/archive`),
      () => call.post(`/boards/${board.publicId}/unarchive`),
      () => call.post(`/boards/${board.publicId}/duplicate`),
      () => call.post(`/boards/${board.publicId}/members`, { memberPublicId: guest.memberPublicId }),
      () => call.put(`/workspaces/${workspace.publicId}/members/${guest.memberPublicId}/role`, { role: "member" }),
      () => call.delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`),
      () => call.post("/labels", { boardPublicId: board.publicId, name: "New", colourCode: "#ffffff" }),
      () => call.delete(`/labels/${label.publicId}`),
      () => call.post(`/cards/${card.publicId}/duplicate`),
      () => call.put(`/cards/${other.card.publicId}`, { title: "Below", index: 0 }),
      () => call.post("/cards/bulk/update", { cardPublicIds: [other.card.publicId], priority: "low" }),
      () => call.post("/cards/bulk/move", { cardPublicIds: [card.publicId], listPublicId: list.publicId }),
      () => call.post("/cards/bulk/archive", { cardPublicIds: [other.card.publicId] }),
      () => call.post("/cards/bulk/delete", { cardPublicIds: [other.card.publicId] }),
      () => call.post(`/cards/${card.publicId}/comments`, { comment: "Counted" }),
      () => call.put(`/cards/${card.publicId}/comments/${comment.publicId}`, { comment: "Not shown here" }),
      () => call.delete(`/cards/${card.publicId}/comments/${comment.publicId}`),
      () => call.post(`/cards/${card.publicId}/checklists`, { name: "Second" }),
      () => call.put(`/checklist-items/${item.publicId}`, { completed: true }),
      () => call.put(`/checklist-items/${item.publicId}`, { title: "Only the card shows it", index: 1 }),
      () => call.delete(`/checklist-items/${item.publicId}`),
      () => call.delete(`/checklists/${checklist.publicId}`),
      () => call.put(`/workspaces/${workspace.publicId}/meetings`, { title: "Not shown on a board" }),
      () => call.post(`/workspaces/${workspace.publicId}/invites`),
      () => call.delete(`/workspaces/${workspace.publicId}/members/${member.memberPublicId}`),
    ];
    const paths = [`/boards/${board.publicId}`, `/cards/${card.publicId}`];
    let before = await Promise.all(paths.map((path) => tagged(owner, path)));
    for (const change of changes) {
      ok(await change());
      const after = await Promise.all(paths.map((path) => tagged(owner, path)));
      for (const [index, { body, etag }] of after.entries()) {
        const isSame = withoutPosition(body) === withoutPosition(before[index]?.body);
        expect([change.toString(), etag === before[index]?.etag]).toEqual([change.toString(), isSame]);
      }
      before = after;
    }
  });
});

describe("If-Match on the update of a card", () => {
  test("lets the change through for who has seen the card as it is, and answers the next tag", async () => {
    const { card, owner } = await make.card();
    const url = `/cards/${card.publicId}`;
    const { etag } = await tagged(owner, url);
    const changed = await put(owner, url, { "if-match": etag }, { title: "Mine" });
    ok(changed);
    expect(changed.headers.etag).toBe((await tagged(owner, url)).etag);
    const next = { "if-match": String(changed.headers.etag) };
    ok(await put(owner, url, next, { priority: "high", index: 3 }));
  });

  test("answers the same tag again when the change is repeated under its key", async () => {
    const { card, owner } = await make.card();
    const url = `/cards/${card.publicId}`;
    const { etag } = await tagged(owner, url);
    const headers = { "if-match": etag, "idempotency-key": unique("key").replace(" ", "-") };
    const first = await put(owner, url, headers, { title: "Mine" });
    ok(await as(owner).put(url, { title: "Changed meanwhile" }));
    const again = await put(owner, url, headers, { title: "Mine" });
    expect(ok(again)).toEqual(ok(first));
    expect(again.headers["idempotent-replayed"]).toBe("true");
    for (const name of ["etag", "operation-id", "event-id"]) {
      expect([name, again.headers[name]]).toEqual([name, first.headers[name]]);
    }
    expect(first.headers.etag).toMatch(/^"[\w-]{27}"$/);
  });

  test("takes the tag that a compressing proxy has made weak", async () => {
    const { card, owner } = await make.card();
    const url = `/cards/${card.publicId}`;
    const weak = `W/${(await tagged(owner, url)).etag}`;
    ok(await put(owner, url, { "if-match": weak }, { title: "By way of a proxy" }));
    expectError(await put(owner, url, { "if-match": weak }, { title: "Lost" }), "PRECONDITION_FAILED");
    expect(ok(await as(owner).get(url))).toMatchObject({ title: "By way of a proxy" });
  });

  test("is PRECONDITION_FAILED for a stale tag, and changes nothing", async () => {
    const { card, owner } = await make.card({ title: "As it is" });
    const url = `/cards/${card.publicId}`;
    const { etag } = await tagged(owner, url);
    ok(await as(owner).put(url, { title: "Changed meanwhile" }));
    for (const stale of [etag, '"other"', `W/${etag}`]) {
      const refused = await put(owner, url, { "if-match": stale }, { title: "Lost" });
      expectError(refused, "PRECONDITION_FAILED");
    }
    expect(ok(await as(owner).get(url))).toMatchObject({ title: "Changed meanwhile" });
  });

  test("of many at once lets exactly one through", async () => {
    const { card, owner } = await make.card();
    const url = `/cards/${card.publicId}`;
    const { etag } = await tagged(owner, url);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => put(owner, url, { "if-match": etag }, { title: `Writer ${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });
});
