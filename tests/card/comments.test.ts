// Guarantees of comments: who may write, edit and delete them, what becomes of replies, and the count on the card.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Card, type Comment, contentsOf, expectError, ok, type Person, testApp } from "../helpers/app.js";
import { cursorWith, packed, valuesIn } from "../helpers/cursors.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { newsOf, expectSound } = storedOn(app);

interface Page {
  items: Comment[];
  nextCursor: string | null;
}

const listOf = async (person: Person, { publicId }: Card, query = "") =>
  ok(await as(person).get<Page>(`/cards/${publicId}/comments${query}`));
const textsOn = async (card: Card) => (await listOf(card.owner, card)).items.map(({ comment }) => comment);

async function comment(card: Card, text: string, by = card.owner, parent?: Comment): Promise<Comment> {
  const fields = { comment: text, parentCommentPublicId: parent?.publicId };
  return (await make.comment({ card, by, ...fields })).comment;
}

/** How many comments a card shows, after making sure that so many are stored. */
async function countOn(card: Card): Promise<number> {
  const [stored] = await db.rows<{ count: number; rows: number }>(sql`
    select c.comment_count as count, (select count(*) from comment o where o.workspace_id = c.workspace_id and o.card_id = c.id) as rows
    from card c where c.public_id = ${card.publicId}::text`);
  expect(stored?.rows).toBe(stored?.count);
  const shown = ok(await as(card.owner).get<{ commentCount: number }>(`/cards/${card.publicId}`));
  expect(shown.commentCount).toBe(stored?.count);
  return shown.commentCount;
}

describe("writing", () => {
  test("a comment is kept as sent under its author's account, counted on the card, and told by one event that holds it, its author by the identifier alone", async () => {
    const { workspace, board, card } = await make.card();
    const author = await make.member(workspace, "member");
    const news = await newsOf(workspace);
    const text = '  Erste Zeile\n\t👩‍👩‍👧 \\ " {$1} @[ \r\n ';

    const made = ok(await as(author).post<Comment>(`/cards/${card.publicId}/comments`, { comment: text }));

    expect(made).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      comment: text,
      author: { publicId: author.publicId, name: author.name, image: null, memberPublicId: author.memberPublicId },
      parentCommentPublicId: null,
      importedFrom: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      editedAt: null,
    });
    expect((await listOf(author, card)).items).toEqual([made]);
    expect(await countOn(card)).toBe(1);
    expect(await news()).toEqual([
      {
        seq: expect.any(Number),
        type: "comment.created",
        board: board.publicId,
        card: card.publicId,
        actor: author.publicId,
        data: { commentPublicId: made.publicId, comment: { ...made, author: { publicId: author.publicId } } },
      },
    ]);
    await expectSound(workspace);
  });

  test("1 to 20 000 code points, counted as people count; anything else is BAD_REQUEST", async () => {
    const { owner, card } = await make.card();
    const path = `/cards/${card.publicId}/comments`;
    for (const text of ["x", " ", "🙂".repeat(20_000)]) {
      expect(ok(await as(owner).post<Comment>(path, { comment: text })).comment).toBe(text);
    }
    for (const text of ["", "🙂".repeat(20_001), "a\u0000", "\ud800", null, 7]) {
      expectError(await as(owner).post(path, { comment: text }), "BAD_REQUEST", "comment");
    }
    expectError(await as(owner).post(path, { comment: "x", parentCommentPublicId: null }), "BAD_REQUEST");
    expect(await countOn(card)).toBe(3);
  });

  test("guests of the board may comment; those of the workspace alone, strangers and nobody may not", async () => {
    const { workspace, board, card } = await make.card();
    const path = `/cards/${card.publicId}/comments`;
    const guest = await make.member(board, "guest");
    await comment(card, "from a guest", guest);

    for (const person of [await make.member(workspace, "guest"), await make.user()]) {
      expectError(await as(person).post(path, { comment: "x" }), "FORBIDDEN");
      expectError(await as(person).get(path), "FORBIDDEN");
    }
    expectError(await anonymous.post(path, { comment: "x" }), "UNAUTHORIZED");
    expectError(await anonymous.get(path), "UNAUTHORIZED");
    expectError(await as(guest).post(`/cards/${UNKNOWN}/comments`, { comment: "x" }), "FORBIDDEN");
    expectError(await as(guest).get(`/cards/${UNKNOWN}/comments`), "NOT_FOUND");
    expect(await textsOn(card)).toEqual(["from a guest"]);
  });

  test("archived cards take comments; archived boards none, neither new nor edited nor deleted", async () => {
    const { owner, board, card } = await make.card();
    const first = await comment(card, "first");
    ok(await as(owner).post(`/cards/${card.publicId}/archive`));
    await comment(card, "second");
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    const before = await contentsOf(db);

    const path = `/cards/${card.publicId}/comments`;
    expectError(await as(owner).post(path, { comment: "third" }), "BAD_REQUEST");
    expectError(await as(owner).put(`${path}/${first.publicId}`, { comment: "other" }), "BAD_REQUEST");
    expectError(await as(owner).delete(`${path}/${first.publicId}`), "BAD_REQUEST");

    expect(await contentsOf(db)).toEqual(before);
    expect(await textsOn(card)).toEqual(["first", "second"]);
  });

  test("written and deleted by many at once, all are there once and the count is theirs", async () => {
    const { workspace, card } = await make.card();
    const gone = await Promise.all(Array.from({ length: 5 }, (_, n) => comment(card, `gone ${n}`)));
    const texts = Array.from({ length: 15 }, (_, n) => `kept ${n}`);
    await Promise.all([
      ...texts.map((text) => comment(card, text)),
      ...gone.map(({ publicId }) => as(card.owner).delete(`/cards/${card.publicId}/comments/${publicId}`).then(ok)),
    ]);
    expect((await textsOn(card)).sort()).toEqual(texts.sort());
    expect(await countOn(card)).toBe(15);
    await expectSound(workspace);
  });
});

describe("replies", () => {
  test("belong to the comment they name; a reply to a reply gets the same parent as it", async () => {
    const { workspace, card } = await make.card();
    const root = await comment(card, "root");
    const news = await newsOf(workspace);
    const reply = await comment(card, "reply", card.owner, root);
    const further = await comment(card, "further", card.owner, reply);

    expect([reply, further].map(({ parentCommentPublicId }) => parentCommentPublicId)).toEqual([
      root.publicId,
      root.publicId,
    ]);
    expect((await listOf(card.owner, card)).items).toEqual([root, reply, further]);
    expect((await news()).map(({ data }) => data)).toEqual(
      [reply, further].map((made) => ({
        commentPublicId: made.publicId,
        comment: { ...made, author: { publicId: card.owner.publicId } },
      })),
    );
  });

  test("to an unknown comment or one of another card are FORBIDDEN, and nothing is written", async () => {
    const { owner, list, card } = await make.card();
    const other = await comment((await make.card({ list })).card, "elsewhere");
    const before = await contentsOf(db);
    for (const parentCommentPublicId of [UNKNOWN, other.publicId]) {
      const body = { comment: "x", parentCommentPublicId };
      expectError(await as(owner).post(`/cards/${card.publicId}/comments`, body), "FORBIDDEN");
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("stay when their parent is deleted, without a parent, and can be replied to themselves", async () => {
    const { card } = await make.card();
    const root = await comment(card, "root");
    const reply = await comment(card, "reply", card.owner, root);
    ok(await as(card.owner).delete(`/cards/${card.publicId}/comments/${root.publicId}`));

    expect((await listOf(card.owner, card)).items).toEqual([{ ...reply, parentCommentPublicId: null }]);
    const next = await comment(card, "next", card.owner, reply);
    expect(next.parentCommentPublicId).toBe(reply.publicId);
    expect(await countOn(card)).toBe(2);
  });
});

describe("reading", () => {
  test.each(["", "&order=newest"])(
    "pages give every comment once in the wanted order (%j), whoever sees the board",
    async (order) => {
      const { board, card } = await make.card();
      const guest = await make.member(board, "guest");
      const texts = Array.from({ length: 7 }, (_, n) => `comment ${n}`);
      for (const text of texts) await comment(card, text);

      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const query: string = `?limit=3${order}${cursor === "" ? "" : `&cursor=${cursor}`}`;
        const { items, nextCursor } = await listOf(guest, card, query);
        seen.push(...items.map((item) => item.comment));
        cursor = nextCursor;
      }
      expect(seen).toEqual(order === "" ? texts : texts.reverse());
      expect(await listOf(guest, card, `?limit=7${order}`)).toMatchObject({ nextCursor: null });
    },
  );

  test.each([
    { order: "oldest", texts: ["a", "b", "c", "d"] },
    { order: "newest", texts: ["d", "c", "b", "a"] },
  ])("a page goes on where it ended though that comment was deleted since, $order first", async ({ order, texts }) => {
    const { card } = await make.card();
    const made: Comment[] = [];
    for (const text of ["a", "b", "c", "d"]) {
      made.push(await comment(card, text));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (order === "newest") made.reverse();
    const { nextCursor } = await listOf(card.owner, card, `?limit=2&order=${order}`);
    for (const { publicId } of made.slice(0, 2)) {
      ok(await as(card.owner).delete(`/cards/${card.publicId}/comments/${publicId}`));
    }
    const rest = await listOf(card.owner, card, `?order=${order}&cursor=${nextCursor}`);
    expect(rest.items.map((item) => item.comment)).toEqual(texts.slice(2));
    for (const { publicId } of made.slice(2)) {
      ok(await as(card.owner).delete(`/cards/${card.publicId}/comments/${publicId}`));
    }
    const last = await listOf(card.owner, card, `?order=${order}&cursor=${nextCursor}`);
    expect(last).toMatchObject({ items: [], nextCursor: null });
  });

  test("a cursor of the other order is BAD_REQUEST, and so is an order that does not exist", async () => {
    const { owner, card } = await make.card();
    await comment(card, "a");
    await comment(card, "b");
    const get = (query: string) => as(owner).get(`/cards/${card.publicId}/comments?limit=1${query}`);
    for (const [order, other] of [
      ["oldest", "newest"],
      ["newest", "oldest"],
    ] as const) {
      const { nextCursor } = await listOf(owner, card, `?limit=1&order=${order}`);
      expectError(await get(`&order=${other}&cursor=${nextCursor}`), "BAD_REQUEST", "cursor");
    }
    expectError(await get("&order=random"), "BAD_REQUEST", "order");
  });

  test("a cursor of another kind is BAD_REQUEST, and none holds a key of the database", async () => {
    const { owner, card } = await make.card();
    await comment(card, "a");
    await comment(card, "b");
    const { items, nextCursor } = await listOf(owner, card, "?limit=1");
    const [first] = items;
    expect(valuesIn(nextCursor)).toEqual([first?.createdAt, first?.publicId]);
    const wrong = [["1"], ["x", UNKNOWN], ["2026-01-01T00:00:00.000Z", "x"]];
    for (const cursor of ["x", packed({ a: 1 }), ...wrong.map((values) => cursorWith(nextCursor, values))]) {
      const res = await as(owner).get(`/cards/${card.publicId}/comments?cursor=${cursor}`);
      expectError(res, "BAD_REQUEST", "cursor");
    }
  });

  test("a comment that came from a file tells its author and time there; one of a closed account is by Deleted user", async () => {
    const { workspace, card } = await make.card();
    const leaver = await make.member(workspace, "member");
    const imported = await comment(card, "imported", leaver);
    await db.rows(sql`
      update comment set imported_name = 'Ada', imported_at = '2019-05-01T10:00:00Z' where public_id = ${imported.publicId}::text`);
    ok(await as(leaver).post("/users/me/delete", { password: leaver.password }));

    const [shown] = (await listOf(card.owner, card)).items;
    expect(shown).toMatchObject({
      author: { publicId: leaver.publicId, name: "Deleted user", image: null, memberPublicId: null },
      importedFrom: { name: "Ada", createdAt: "2019-05-01T10:00:00.000Z" },
    });
  });
});

describe("editing", () => {
  test("one's own comment gets the new text and editedAt; the event tells from and to", async () => {
    const { workspace, board, card } = await make.card();
    const guest = await make.member(board, "guest");
    const made = await comment(card, "before", guest);
    const news = await newsOf(workspace);

    const path = `/cards/${card.publicId}/comments/${made.publicId}`;
    const edited = ok(await as(guest).put<Comment>(path, { comment: " after " }));

    expect(edited).toEqual({ ...made, comment: " after ", editedAt: expect.any(String) });
    expect(Date.parse(edited.editedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(made.createdAt));
    expect((await listOf(guest, card)).items).toEqual([edited]);
    expect(await news()).toEqual([
      expect.objectContaining({
        type: "comment.updated",
        board: board.publicId,
        card: card.publicId,
        actor: guest.publicId,
        data: {
          commentPublicId: made.publicId,
          changes: { comment: { from: "before", to: " after " } },
          editedAt: edited.editedAt,
        },
      }),
    ]);
    expect(await countOn(card)).toBe(1);
    await expectSound(workspace);
  });

  test("to the same text changes nothing and writes no event", async () => {
    const { owner, workspace, card } = await make.card();
    const made = await comment(card, "same");
    const news = await newsOf(workspace);
    const path = `/cards/${card.publicId}/comments/${made.publicId}`;
    expect(ok(await as(owner).put(path, { comment: "same" }))).toEqual(made);
    expect(await news()).toEqual([]);
    expect((await listOf(owner, card)).items).toEqual([made]);
  });

  test("and deleting somebody else's needs comment:edit and comment:delete, which admins have", async () => {
    const { owner, workspace, board, card } = await make.card();
    const author = await make.member(workspace, "member");
    const made = await comment(card, "mine", author);
    const path = `/cards/${card.publicId}/comments/${made.publicId}`;
    const before = await contentsOf(db);

    for (const person of [await make.member(workspace, "member"), await make.member(board, "guest")]) {
      expectError(await as(person).put(path, { comment: "theirs" }), "FORBIDDEN");
      expectError(await as(person).delete(path), "FORBIDDEN");
    }
    expectError(await anonymous.put(path, { comment: "theirs" }), "UNAUTHORIZED");
    expectError(await anonymous.delete(path), "UNAUTHORIZED");
    expect(await textsOn(card)).toEqual(["mine"]);
    expect((await contentsOf(db)).event).toEqual(before.event);

    const edited = ok(await as(owner).put<Comment>(path, { comment: "moderated" }));
    const { publicId, memberPublicId } = author;
    expect(edited).toMatchObject({ comment: "moderated", author: { publicId, memberPublicId } });
    ok(await as(owner).delete(path));
    expect(await countOn(card)).toBe(0);
  });

  test("an author who does not see the board any longer may not touch its comment", async () => {
    const { owner, workspace, board, card } = await make.card();
    const author = await make.member(board, "guest");
    const made = await comment(card, "mine", author);
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${author.memberPublicId}`));
    const path = `/cards/${card.publicId}/comments/${made.publicId}`;
    expectError(await as(author).put(path, { comment: "x" }), "FORBIDDEN");
    ok(await as(owner).delete(`/workspaces/${workspace.publicId}/members/${author.memberPublicId}`));
    expectError(await as(author).delete(path), "FORBIDDEN");
    expect(await textsOn(card)).toEqual(["mine"]);
  });

  test("and deleting an unknown comment, or one of another card in the path, is NOT_FOUND", async () => {
    const { owner, list, card } = await make.card();
    const made = await comment(card, "here");
    const { card: other } = await make.card({ list });
    for (const path of [
      `/cards/${other.publicId}/comments/${made.publicId}`,
      `/cards/${card.publicId}/comments/${UNKNOWN}`,
      `/cards/${UNKNOWN}/comments/${made.publicId}`,
    ]) {
      expectError(await as(owner).put(path, { comment: "x" }), "NOT_FOUND");
      expectError(await as(owner).delete(path), "NOT_FOUND");
    }
    expect(await textsOn(card)).toEqual(["here"]);
  });
});

describe("deleting", () => {
  test("takes the comment away for good, with one event and the count", async () => {
    const { owner, workspace, card } = await make.card();
    const made = await comment(card, "gone");
    await comment(card, "kept");
    const news = await newsOf(workspace);
    const path = `/cards/${card.publicId}/comments/${made.publicId}`;

    expect(ok(await as(owner).delete(path))).toEqual({ success: true });
    expectError(await as(owner).delete(path), "NOT_FOUND");

    expect(await textsOn(card)).toEqual(["kept"]);
    expect(await countOn(card)).toBe(1);
    expect(await news()).toEqual([
      expect.objectContaining({
        type: "comment.deleted",
        card: card.publicId,
        data: { commentPublicId: made.publicId },
      }),
    ]);
    await expectSound(workspace);
  });

  test("twice at once deletes once; the card takes its comments along", async () => {
    const { owner, workspace, card } = await make.card();
    const made = await comment(card, "gone");
    await comment(card, "other");
    const path = `/cards/${card.publicId}/comments/${made.publicId}`;
    const answers = await Promise.all([1, 2, 3].map(() => as(owner).delete(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await countOn(card)).toBe(1);
    ok(await as(owner).delete(`/cards/${card.publicId}`));
    expect(
      await db.rows(sql`
        select o.id from comment o join workspace w on w.id = o.workspace_id where w.public_id = ${workspace.publicId}::text`),
    ).toEqual([]);
  });
});
