// Guarantees of mentions and replies: who is told of a text on a card, and how often.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Card, contentsOf, ok, type Person, testApp } from "../helpers/app.js";
import { notificationsOn } from "./received.js";

const app = await testApp();
const { as, make, db } = app;
const { listOf, typesFor } = notificationsOn(app);

const commentOn = async (card: Card, comment: string, by: Person = card.owner) =>
  (await make.comment({ card, by, comment })).comment;
const edit = async (card: Card, { publicId }: { publicId: string }, comment: string, by: Person = card.owner) =>
  ok(await as(by).put(`/cards/${card.publicId}/comments/${publicId}`, { comment }));
const describeCard = async (card: Card, description: string, more: object = {}) =>
  ok(await as(card.owner).put(`/cards/${card.publicId}`, { description, ...more }));

describe("a mention", () => {
  test("by identifier or by address, in any case, tells a member once, in the transaction of the comment", async () => {
    const { workspace, card, board } = await make.card();
    const [ada, bob] = [await make.member(workspace, "member"), await make.member(workspace, "admin")];

    await commentOn(card, `Hi @[Ada](${ada.memberPublicId}), cc @${bob.email.toUpperCase()}.`);

    const expected = {
      type: "mention",
      readAt: null,
      actor: { name: card.owner.name },
      card: { publicId: card.publicId, title: card.title, boardPublicId: board.publicId },
      workspace: { publicId: workspace.publicId },
    };
    expect(await listOf(ada)).toMatchObject([expected]);
    expect(await listOf(bob)).toMatchObject([expected]);
    const [stored] = await db.rows<{ same: boolean }>(sql`
      select n.xmin = o.xmin as same from notification n
      join comment o on o.workspace_id = n.workspace_id and o.card_id = n.card_id
      join account a on a.id = n.account_id where a.public_id = ${ada.publicId}::text`);
    expect(stored).toEqual({ same: true });
  });

  test("of one person many times and in both forms tells once; two comments tell twice", async () => {
    const { workspace, card } = await make.card();
    const ada = await make.member(workspace, "member");
    const text = `@[a](${ada.memberPublicId}) @[b](${ada.memberPublicId}) @${ada.email} @${ada.email.toUpperCase()}`;
    await commentOn(card, text);
    expect(await typesFor(ada)).toEqual(["mention"]);
    await commentOn(card, text);
    expect(await typesFor(ada)).toEqual(["mention", "mention"]);
  });

  test.each([
    ["an empty label", "@[](ID)"],
    ["a label with brackets and parentheses", "@[Ada [ops] (Berlin) ✓](ID)"],
    ["a label over two lines", "@[Ada\nLovelace](ID)"],
    ["an opening before it", "@[@[ @[Ada](ID)"],
    ["no space around it", "see@[Ada](ID)now"],
    ["an address in brackets", "(@EMAIL)"],
    ["an address at the end of a sentence", "ask @EMAIL."],
    ["an address in emphasis", "**@EMAIL**"],
    ["an address after a list's dash and text without spaces", "-@EMAIL，你好"],
    ["an address straight after another language's letters", "你好@EMAIL"],
  ])("may have %s", async (_, form) => {
    const { workspace, card } = await make.card();
    const ada = await make.member(workspace, "member");
    await commentOn(card, form.replaceAll("ID", ada.memberPublicId).replaceAll("EMAIL", ada.email));
    expect(await typesFor(ada)).toEqual(["mention"]);
  });

  test.each([
    ["an address alone", "EMAIL"],
    ["an address in the middle of a word", "me@EMAIL"],
    ["an address in the label of another mention", "@[@EMAIL](OTHER)"],
    ["a link without @", "[Ada](ID)"],
    ["a label whose link is another", "@[a](https://example.org) [Ada](ID)"],
    ["an identifier with more to it", "@[Ada](IDx) @[Ada](ID x)"],
    ["an identifier that is not closed", "@[Ada](ID"],
    ["the name or account of a person", "@NAME @[Ada](ACCOUNT)"],
  ])("is not %s", async (_, form) => {
    const { workspace, card } = await make.card();
    const [ada, other] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
    const text = form
      .replaceAll("ID", ada.memberPublicId)
      .replaceAll("OTHER", other.memberPublicId)
      .replaceAll("ACCOUNT", ada.publicId)
      .replaceAll("NAME", ada.name)
      .replaceAll("EMAIL", ada.email);
    await commentOn(card, text);
    expect(await typesFor(ada)).toEqual([]);
  });

  test("never tells the author, though an admin who edits its comment mentions it", async () => {
    const { owner, workspace, card } = await make.card();
    const ada = await make.member(workspace, "member");
    const made = await commentOn(card, `@${ada.email} @[me](${ada.memberPublicId})`, ada);
    await edit(card, made, `@${ada.email} @${owner.email}`);
    await edit(card, await commentOn(card, "nobody", ada), `@${ada.email}`);
    expect(await typesFor(ada)).toEqual([]);
    expect(await typesFor(owner)).toEqual([]);
  });

  test("tells only active members who see the board: on a private one its members and admins", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const { card } = await make.card({ board });
    const seeing = [
      await make.member(workspace, "admin"),
      await make.member(board, "member"),
      await make.member(board, "guest"),
    ];
    const withoutAccess = [
      await make.member(workspace, "member"),
      await make.member(workspace, "guest"),
      await make.member((await make.board({ owner })).workspace, "admin"),
    ];
    const everyone = [...seeing, ...withoutAccess];
    const mentions = everyone.map(({ memberPublicId, email }) => `@[x](${memberPublicId}) @${email}`);
    const pending = ok(
      await as(owner).post<{ publicId: string }>(`/workspaces/${workspace.publicId}/members/invite`, {
        email: "pending@example.org",
      }),
    );
    await commentOn(card, [...mentions, `@[x](${pending.publicId}) @pending@example.org`].join(" "));
    for (const person of seeing) expect(await typesFor(person)).toEqual(["mention"]);
    for (const person of withoutAccess) expect(await typesFor(person)).toEqual([]);
  });

  test("on a board of the workspace or a public one tells members, and guests of that board alone", async () => {
    for (const visibility of ["workspace", "public"] as const) {
      const { workspace, board } = await make.board({ visibility });
      const { card } = await make.card({ board });
      const member = await make.member(workspace, "member");
      const [guest, other] = [await make.member(board, "guest"), await make.member(workspace, "guest")];
      const ids = [member, guest, other].map(({ memberPublicId }) => `@[x](${memberPublicId})`);
      await commentOn(card, ids.join(""));
      expect(await typesFor(member)).toEqual(["mention"]);
      expect(await typesFor(guest)).toEqual(["mention"]);
      expect(await typesFor(other)).toEqual([]);
    }
  });

  test("by an address that the author may not see tells its owner, and the answer is that to an address of nobody", async () => {
    const { owner, workspace, board, card } = await make.card();
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));
    const guest = await make.member(board, "guest");
    const ada = await make.member(workspace, "member");
    const [known, unknown] = [
      await commentOn(card, `@${ada.email}`, guest),
      await commentOn(card, "@nobody@example.org", guest),
    ];
    expect(Object.keys(known)).toEqual(Object.keys(unknown));
    expect(await typesFor(ada)).toEqual(["mention"]);
  });

  test("of more than 100 people tells the first 100 named", async () => {
    const { workspace, card } = await make.card();
    await db.rows(sql`
      with made as (
        insert into account (public_id, name, email)
        select 'many' || lpad(n::text, 8, '0'), 'Many', 'many' || n || '@example.org' from generate_series(1, 120) n returning id, public_id
      )
      insert into member (workspace_id, id, public_id, account_id, role)
      select w.id, 1000000 + made.id, made.public_id, made.id, 'member' from made, workspace w
      where w.public_id = ${workspace.publicId}::text`);
    const names = Array.from({ length: 120 }, (_, n) => `many${n + 1}@example.org`);
    await commentOn(card, names.map((name) => `@${name}`).join(" "));
    const listed = await db.rows<{ email: string }>(sql`
      select a.email from notification n join account a on a.id = n.account_id join workspace w on w.id = n.workspace_id
      where w.public_id = ${workspace.publicId}::text`);
    expect(listed.map(({ email }) => email).sort()).toEqual(names.slice(0, 100).sort());
  });

  test("a text made to be slow to read costs little more than plain text: 50 000 characters of openings", async () => {
    const { card } = await make.card();
    /** The least processor time of three tries, which other processes do not change. */
    const costOf = async (description: string) => {
      const costs = [];
      for (let n = 0; n < 3; n += 1) {
        const start = process.cpuUsage();
        await describeCard(card, n % 2 === 0 ? description : `${description.slice(1)} `);
        const { user, system } = process.cpuUsage(start);
        costs.push(user + system);
      }
      return Math.min(...costs);
    };
    const plain = await costOf("a ".repeat(25_000));
    const texts = ["@[", "@a", "@[](", "@[x](", "@a@a.", "@a@", "@[]", "](", "@a@-", "a."].map((part) =>
      `@x@${part}`.concat(part.repeat(25_000)).slice(0, 50_000),
    );
    for (const description of texts)
      expect(await costOf(description), description.slice(0, 8)).toBeLessThan(15 * plain);
  });
});

describe("an edit", () => {
  test("tells only those whom the text before did not mention, in whatever form", async () => {
    const { workspace, card } = await make.card();
    const [ada, bob] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
    const made = await commentOn(card, `@${ada.email}`);
    await edit(card, made, `@[Ada](${ada.memberPublicId}) and @[Bob](${bob.memberPublicId})`);
    await edit(card, made, `@[Ada](${ada.memberPublicId}) and @${bob.email}!`);
    expect(await typesFor(ada)).toEqual(["mention"]);
    expect(await typesFor(bob)).toEqual(["mention"]);
    await edit(card, made, "nobody");
    await edit(card, made, `@${bob.email} again`);
    expect(await typesFor(bob)).toEqual(["mention", "mention"]);
  });

  test("of a reply does not tell the author of the comment again", async () => {
    const { owner, workspace, card } = await make.card();
    const ada = await make.member(workspace, "member");
    const root = await commentOn(card, "root");
    const { comment: reply } = await make.comment({ card, by: ada, parentCommentPublicId: root.publicId });
    await edit(card, reply, "better", ada);
    expect(await typesFor(owner)).toEqual(["comment.reply"]);
  });
});

describe("a reply", () => {
  test("tells the author of the comment it names, not that of the parent it gets, and not oneself", async () => {
    const { owner, workspace, card } = await make.card();
    const [ada, bob] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
    const root = await commentOn(card, "root");
    const { comment: reply } = await make.comment({ card, by: ada, parentCommentPublicId: root.publicId });
    await make.comment({ card, by: ada, parentCommentPublicId: reply.publicId });
    await make.comment({ card, by: bob, parentCommentPublicId: reply.publicId });

    expect(await listOf(owner)).toMatchObject([{ type: "comment.reply", actor: { name: ada.name } }]);
    expect(await listOf(ada)).toMatchObject([
      { type: "comment.reply", actor: { name: bob.name }, card: { publicId: card.publicId } },
    ]);
    expect(await typesFor(bob)).toEqual([]);
  });

  test("that mentions the author as well tells it once, of the mention", async () => {
    const { owner, workspace, card } = await make.card();
    const ada = await make.member(workspace, "member");
    const root = await commentOn(card, "root");
    await make.comment({ card, by: ada, comment: `@${owner.email}`, parentCommentPublicId: root.publicId });
    expect(await typesFor(owner)).toEqual(["mention"]);
  });

  test("does not tell an author who no longer sees the board, nor one whose account is closed", async () => {
    const { owner, workspace, board, card } = await make.card();
    const [guest, leaver] = [await make.member(board, "guest"), await make.member(workspace, "member")];
    const [first, second] = [await commentOn(card, "one", guest), await commentOn(card, "two", leaver)];
    ok(await as(owner).delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`));
    ok(await as(leaver).post("/users/me/delete", { password: leaver.password }));
    for (const { publicId } of [first, second]) await make.comment({ card, parentCommentPublicId: publicId });
    expect(await typesFor(guest)).toEqual([]);
    expect(
      await db.rows(sql`
        select n.type from notification n join account a on a.id = n.account_id where a.public_id = ${leaver.publicId}::text`),
    ).toEqual([]);
  });
});

describe("a card's description", () => {
  test("tells whom it mentions when the card is made, and whom an edit newly mentions", async () => {
    const { workspace, list } = await make.list();
    const [ada, bob] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
    const { card } = await make.card({ list, description: `For @[Ada](${ada.memberPublicId})` });
    expect(await listOf(ada)).toMatchObject([
      { type: "mention", card: { publicId: card.publicId, cardNumber: card.cardNumber } },
    ]);

    await describeCard(card, `For @${ada.email} and @${bob.email}`, { title: "Both" });
    ok(await as(card.owner).put(`/cards/${card.publicId}`, { priority: "high" }));
    expect(await typesFor(ada)).toEqual(["mention"]);
    expect(await listOf(bob)).toMatchObject([{ type: "mention", card: { title: "Both" } }]);
  });

  test("edited while the card goes to another board tells those who see that board", async () => {
    const { workspace, card, board } = await make.card();
    const { board: secret } = await make.board({ workspace, visibility: "private" });
    const { list } = await make.list({ board: secret });
    const [outside, inside] = [await make.member(board, "guest"), await make.member(secret, "guest")];
    await describeCard(card, `@${outside.email} @${inside.email}`, { listPublicId: list.publicId });
    expect(await typesFor(outside)).toEqual([]);
    expect(await listOf(inside)).toMatchObject([{ card: { boardPublicId: secret.publicId } }]);
  });

  test("that is copied with its card, or comes from a file, tells nobody", async () => {
    const { owner, workspace, list } = await make.list();
    const ada = await make.member(workspace, "member");
    const description = `@${ada.email} @[Ada](${ada.memberPublicId})`;
    const { card } = await make.card({ list, description });
    expect(await typesFor(ada)).toEqual(["mention"]);
    ok(await as(owner).post(`/cards/${card.publicId}/duplicate`));
    ok(
      await as(owner).post("/imports/csv/boards", {
        workspacePublicId: workspace.publicId,
        boardName: "Imported",
        rows: [["Title", description]],
        mapping: { title: 0, description: 1 },
      }),
    );
    expect(await typesFor(ada)).toEqual(["mention"]);
  });

  test("that is refused tells nobody", async () => {
    const { workspace, board, card } = await make.card();
    const ada = await make.member(workspace, "member");
    const guest = await make.member(board, "guest");
    const before = await contentsOf(db);
    const body = { description: `@${ada.email}` };
    expect((await as(guest).put(`/cards/${card.publicId}`, body)).status).toBe(403);
    expect(await contentsOf(db)).toEqual(before);
  });
});

test("mentions by many at once, while those mentioned close their accounts, neither fail nor deadlock", async () => {
  const { workspace, card } = await make.card();
  const leavers = await Promise.all([1, 2, 3].map(() => make.member(workspace, "member")));
  const text = leavers.map(({ email, memberPublicId }) => `@${email} @[x](${memberPublicId})`).join(" ");
  const writers = await Promise.all([1, 2, 3, 4].map(() => make.member(workspace, "member")));
  await Promise.all([
    ...writers.flatMap((by) => [commentOn(card, text, by), commentOn(card, text, by)]),
    ...leavers.map((person) => as(person).post("/users/me/delete", { password: person.password }).then(ok)),
  ]);
  const [stored] = await db.rows<{ count: number }>(sql`
    select comment_count as count from card where public_id = ${card.publicId}::text`);
  expect(stored).toEqual({ count: 8 });
});
