// Guarantees of board files: what goes out comes in again, and nothing else does.

import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectComplete } from "../board/events.js";
import { appOn, type Client, contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";
import { type BoardFile, changedFile, filesOf, richBoard, withoutIds } from "./boardFiles.js";
import { bodyFor, importsOn, type Preview } from "./imports.js";

const app = await testApp();
const { as, make, db } = app;
const { eventsOf, expectDense } = importsOn(app);
const rich = await richBoard(app);
const { exported, imported } = filesOf(as(rich.owner));
const original = await exported(rich.board.publicId);

interface Comment {
  comment: string;
  author: { publicId: string };
  importedFrom: { name: string; createdAt: string } | null;
  createdAt: string;
}

const changed = (change: (file: BoardFile) => void) => changedFile(original, change);

const cardOf = (file: BoardFile, title: string) => {
  const found = file.cards.find((card) => card.title === title);
  if (found === undefined) throw new Error(`No card ${title}`);
  return found;
};

describe("an export", () => {
  test("holds everything on the board, open cards in order and archived ones after them", () => {
    const names = new Map(original.lists.map(({ publicId, name }) => [publicId, name]));
    expect(original).toMatchObject({
      format: "work-board/board",
      version: 1,
      name: rich.board.name,
      slug: rich.board.slug,
      visibility: "private",
      tags: [{ name: "Größe" }],
    });
    expect(original.lists.map(({ name }) => name)).toEqual(["To do", "Empty", "Done", "done"]);
    expect(original.labels.map(({ name }) => name)).toEqual(["Zebra", "ant", "Ant 2", "日本語"]);
    const places = original.cards.map(({ title, listPublicId, archivedAt }) => [
      title,
      names.get(listPublicId ?? "") ?? null,
      archivedAt !== null,
    ]);
    expect(places).toEqual([
      ["First", "To do", false],
      ["=HYPERLINK(1)", "To do", false],
      [rich.done.title, "done", false],
      ["Archived", "Done", true],
      ["of a deleted list", null, true],
      ["too", null, true],
    ]);
    expect(cardOf(original, rich.done.title)).toMatchObject({
      createdAt: "2020-02-29T12:00:00.123Z",
      completedAt: expect.any(String),
      checklists: [
        { name: "Second; of two", items: { length: 4, 0: { completed: true } } },
        { name: "Empty", items: [] },
      ],
    });
    const { comments } = cardOf(original, "=HYPERLINK(1)");
    expect(comments.map(({ author }) => author)).toEqual(
      [rich.guest, rich.member, rich.member, rich.guest].map(({ name }) => name),
    );
    expect(comments.map(({ parentCommentPublicId }) => parentCommentPublicId)).toEqual([
      null,
      comments[0]?.publicId,
      null,
      comments[2]?.publicId,
    ]);
    expect(comments[2]).toMatchObject({ comment: "edited", editedAt: expect.any(String) });
  });

  test("is an attachment named by the slug, and the same bytes each time", async () => {
    const path = `/boards/${rich.board.publicId}/export`;
    const [json, again, csv] = [
      await as(rich.owner).get(path),
      await as(rich.owner).get(path),
      await as(rich.owner).get(`${path}?format=csv`),
    ];
    expect(json.text).toBe(again.text);
    expect(json.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-disposition": `attachment; filename="${rich.board.slug}.json"`,
    });
    expect(csv.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${rich.board.slug}.csv"`,
    });
  });

  test("over tRPC is the document, or the text of the CSV, and no attachment", async () => {
    const client = app.trpcClient(rich.owner);
    const csv = await as(rich.owner).get(`/boards/${rich.board.publicId}/export?format=csv`);
    expect(await client.board.export.query({ boardPublicId: rich.board.publicId })).toEqual(original);
    expect(await client.board.export.query({ boardPublicId: rich.board.publicId, format: "csv" })).toBe(csv.text);
    const input = encodeURIComponent(JSON.stringify({ boardPublicId: rich.board.publicId }));
    const raw = await as(rich.owner).send({ method: "GET", url: `/trpc/board.export?input=${input}` });
    expect(raw.headers["content-disposition"]).toBeUndefined();
  });

  test("shows a guest no address but its own, in either form", async () => {
    const file = await filesOf(as(rich.guest)).exported(rich.board.publicId);
    const addresses = file.people.flatMap(({ email }) => email ?? []);
    expect(addresses).toEqual([rich.guest.email]);
    expect(file.people).toHaveLength(3);
    const csv = ok(await as(rich.guest).get<string>(`/boards/${rich.board.publicId}/export?format=csv`));
    const rows = csv.slice(csv.indexOf("\n"));
    expect(rows).toContain(rich.member.name);
    expect(rows).not.toContain(`${rich.member.email}"`);
  });

  test("of an archived board is the same", async () => {
    const { card, board, owner } = await make.card();
    const before = await filesOf(as(owner)).exported(board.publicId);
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expect(before.cards).toMatchObject([{ title: card.title }]);
    expect(await filesOf(as(owner)).exported(board.publicId)).toEqual(before);
  });
});

describe("an importer who may not see addresses", () => {
  test("finds people by name alone, but for the own address", async () => {
    const { workspace: place, owner } = await make.workspace();
    const ada = await make.member(place, "member", await make.user({ name: "Ada" }));
    const bob = await make.member(place, "member", await make.user({ name: "Bob" }));
    const guest = await make.member(place, "guest", await make.user({ name: "Guest" }));
    const person = (publicId: string, name: string, email: string | null) => ({ publicId, name, email });
    const people = [
      person("000000000001", "Nobody", bob.email),
      person("000000000002", "Bob", "unknown@example.org"),
      person("000000000003", "Me", ada.email),
      person("000000000004", "Guest", guest.email),
    ];
    const board = changed((file) => {
      Object.assign(file, { people, memberPublicIds: people.map(({ publicId }) => publicId), visibility: "workspace" });
      for (const card of file.cards) card.memberPublicIds = [];
    });
    const unmatchedBy = async (importer: typeof ada | typeof owner) =>
      ok(await filesOf(as(importer)).send(place, board, { dryRun: true }))
        .warnings.filter(({ reason }) => reason === "personUnmatched")
        .map(({ value }) => value);
    expect(await unmatchedBy(ada)).toEqual(["unknown@example.org"]);

    ok(await as(owner).put(`/workspaces/${place.publicId}`, { showEmailsToMembers: false }));

    expect(await unmatchedBy(ada)).toEqual([bob.email, guest.email]);
    expect(await unmatchedBy(owner)).toEqual(["unknown@example.org"]);
  });
});

describe("a round trip", () => {
  test("gives the same document but for identifiers, and so does a second one", async () => {
    const once = await imported(rich.workspace, original);
    expect(once.answer).toMatchObject({
      listsCreated: 4,
      cardsCreated: 6,
      labelsCreated: 4,
      checklistItemsCreated: 4,
      cardsAssigned: 1,
      unmatchedAssignees: [],
      skippedRows: [],
      warnings: [],
    });
    expect(withoutIds(once.file)).toEqual(withoutIds(original));
    const twice = await imported(rich.workspace, once.file);
    expect(withoutIds(twice.file)).toEqual(withoutIds(original));
    const ids = (file: BoardFile) =>
      [file.cards, file.lists, file.labels, file.cards.flatMap(({ comments }) => comments)].flatMap((parts) =>
        parts.map(({ publicId }) => publicId),
      );
    expect(new Set([original, once.file, twice.file].flatMap(ids)).size).toBe(3 * ids(original).length);
  });

  test("of the backlog's 2000 cards gives the same document, in a number of statements that its size does not change", {
    tags: ["slow"],
    timeout: 120_000,
  }, async () => {
    const { through, costOf } = countingStatements();
    const database = await openTestDatabase(through);
    onTestFinished(() => database.close());
    const { as, make, app: other } = await appOn(database.db, {});
    const { workspace, owner } = await make.workspace();
    const client = as(owner);
    const csv = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");
    const preview = ok(await client.post<Preview>("/imports/csv/preview", { csv, limit: 2000 }));
    const body = bodyFor(workspace, preview.rows, { mapping: preview.suggestedMapping });
    const { boardPublicId } = ok(await client.post<{ boardPublicId: string }>("/imports/csv/boards", body));
    const files = filesOf(client);
    const file = await files.exported(boardPublicId);
    expect(file.cards).toHaveLength(2000);

    const back = await files.imported(workspace, file);
    expect(withoutIds(back.file)).toEqual(withoutIds(file));
    const ask = (id: string) => () =>
      other.inject({ url: `/api/v1/boards/${id}/export`, headers: { authorization: `Bearer ${owner.token}` } });
    const { board: small } = await make.board({ workspace });
    // The first request of a token looks it up.
    await ask(small.publicId)();
    const { statements } = await costOf(ask(boardPublicId));
    expect(statements).toBeGreaterThan(10);
    expect((await costOf(ask(small.publicId))).statements).toBe(statements);
  });

  test("is told of by complete events: tags, then the board, then each card with its comments behind it", async () => {
    const { workspace, owner } = await make.workspace();
    await make.member(workspace, "member", rich.member);
    const { answer } = await filesOf(as(owner)).imported(workspace, original);

    const events = await eventsOf(workspace);
    const made = events.slice(events.findIndex(({ type }) => type === "tag.created"));
    await expectComplete(made, async (path) => ok(await as(owner).get(path)));
    const [tagged, imported, ...rest] = made;
    const { tags } = ok(await as(owner).get<{ tags: { publicId: string }[] }>(`/boards/${answer.boardPublicId}`));
    expect([tagged].map((event) => event?.data)).toEqual(
      tags.slice(0, 1).map(({ publicId, ...tag }) => ({ tagPublicId: publicId, ...tag })),
    );
    expect(imported).toMatchObject({ type: "board.imported", board: answer.boardPublicId });
    expect(rest.filter(({ type }) => type === "card.created")).toHaveLength(original.cards.length);
    for (const { card } of rest.filter(({ type }) => type === "card.created")) {
      const { items } = ok(await as(owner).get<{ items: Comment[] }>(`/cards/${card}/comments`));
      const said = items.map(({ author, ...comment }) => ({ ...comment, author: { publicId: author.publicId } }));
      const own = rest.filter((event) => event.card === card);
      expect(own.map(({ type }) => type)).toEqual(["card.created", ...said.map(() => "comment.created")]);
      expect(own.slice(1).map((event) => event.data.comment)).toEqual(said);
    }
  });

  test("leaves every count, number and event of the workspace whole", async () => {
    const { workspace, owner } = await make.workspace();
    await filesOf(as(owner)).imported(workspace, original);
    await expectDense(workspace);
    const counts = await db.rows(sql`
      select c.comment_count as said, (select count(*) from comment o where o.workspace_id = c.workspace_id and o.card_id = c.id) as comments,
        l.open_cards as "openCards", (select count(*) from card s where s.workspace_id = l.workspace_id and s.list_id = l.id and s.position is not null) as "inList"
      from card c join workspace w on w.id = c.workspace_id left join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
      where w.public_id = ${workspace.publicId}::text`);
    for (const { said, comments, openCards, inList } of counts as Record<string, number | null>[]) {
      expect([said, openCards ?? 0]).toEqual([comments, inList]);
    }
  });
});

describe("what comes in", () => {
  test("is the importer's, with the author and time of each comment where it came from", async () => {
    const { workspace, owner } = await make.workspace();
    const { file } = await filesOf(as(owner)).imported(workspace, original);
    const { publicId } = cardOf(file, "=HYPERLINK(1)");
    const { items } = ok(await as(owner).get<{ items: Comment[] }>(`/cards/${publicId}/comments`));
    const sources = cardOf(original, "=HYPERLINK(1)").comments;
    expect(items.map(({ importedFrom }) => importedFrom)).toEqual(
      sources.map(({ author, createdAt }) => ({ name: author, createdAt })),
    );
    expect(new Set(items.map(({ author }) => author.publicId))).toEqual(new Set([owner.publicId]));
    expect(items.every((item, index) => item.createdAt > (sources[index]?.createdAt ?? ""))).toBe(true);
    const notifications = await db.rows(sql`
      select n.id from notification n join workspace w on w.id = n.workspace_id where w.public_id = ${workspace.publicId}::text`);
    expect(notifications).toEqual([]);
  });

  test("finds people by their address alone, and drops the others with a warning", async () => {
    const { workspace, owner } = await make.workspace();
    const namesake = await make.user({ name: rich.member.name });
    await make.member(workspace, "member", namesake);
    await make.member(workspace, "guest", rich.guest);

    const { answer, file } = await filesOf(as(owner)).imported(workspace, original);

    expect(answer.unmatchedAssignees).toEqual([rich.member.email]);
    const row = original.cards.findIndex(({ title }) => title === "=HYPERLINK(1)") + 1;
    expect(answer.warnings).toEqual([
      { rowNumber: 0, reason: "personUnmatched", value: rich.owner.email },
      { rowNumber: row, reason: "personUnmatched", value: rich.member.email },
    ]);
    expect(file.people.map(({ email }) => email).sort()).toEqual([owner.email, rich.guest.email].sort());
    expect(cardOf(file, "=HYPERLINK(1)").memberPublicIds).toHaveLength(1);
  });

  test("drops an assignee who would not see the board", async () => {
    const { workspace, owner } = await make.workspace();
    await make.member(workspace, "guest", rich.guest);
    const alone = changed((file) => {
      file.memberPublicIds = [];
    });
    const { answer, file } = await filesOf(as(owner)).imported(workspace, alone);
    expect(answer.unmatchedAssignees.sort()).toEqual([rich.guest.email, rich.member.email].sort());
    expect(file.cards.flatMap(({ memberPublicIds }) => memberPublicIds)).toEqual([]);
  });

  test("is not made public by a member, and is by an admin", async () => {
    const { workspace, owner } = await make.workspace();
    const member = await make.member(workspace, "member");
    const open = changed((file) => {
      file.visibility = "public";
      file.people = [];
      file.memberPublicIds = [];
      for (const card of file.cards) card.memberPublicIds = [];
    });
    const lowered = await filesOf(as(member)).imported(workspace, open);
    expect(lowered.file.visibility).toBe("workspace");
    expect(lowered.answer.warnings).toEqual([{ rowNumber: 0, reason: "visibilityLowered", value: "public" }]);
    expect((await filesOf(as(owner)).imported(workspace, open)).file.visibility).toBe("public");
  });

  test("takes the workspace's tag of the name, whatever its case, and makes one where there is none", async () => {
    const { workspace, owner } = await make.workspace();
    const { tag } = await make.tag({ workspace, name: "GRÖSSE", colourCode: "#000000" });
    const tagged = changed((file) => {
      file.tags = [
        { name: "grösse", colourCode: "#ffffff" },
        { name: "New", colourCode: "#123456" },
        { name: "new", colourCode: "#654321" },
      ];
    });
    const { file } = await filesOf(as(owner)).imported(workspace, tagged);
    expect(file.tags).toEqual([
      { name: "GRÖSSE", colourCode: tag.colourCode },
      { name: "new", colourCode: "#654321" },
    ]);
  });

  test("has its tags by name, whichever was made first, and a card's label and assignee once", async () => {
    const { workspace, owner } = await make.workspace();
    const member = await make.member(workspace, "member", rich.member);
    const mixed = changed((file) => {
      file.tags = ["b", "c", "A"].map((name) => ({ name, colourCode: "#000000" }));
      const [zebra] = file.labels;
      file.labels.push({ publicId: "anotherLabel", name: "ZEBRA", colourCode: "#000000" });
      const person = file.people.find(({ email }) => email === member.email)?.publicId ?? "";
      Object.assign(cardOf(file, "First"), {
        labelPublicIds: [zebra?.publicId, "anotherLabel", zebra?.publicId],
        memberPublicIds: [person, person],
      });
    });
    const { answer, file } = await filesOf(as(owner)).imported(workspace, mixed);
    expect(file.tags.map(({ name }) => name)).toEqual(["A", "b", "c"]);
    expect(cardOf(file, "First").labelPublicIds).toHaveLength(1);
    expect(cardOf(file, "First").memberPublicIds).toEqual([member.memberPublicId]);
    expect(answer).toMatchObject({ cardsAssigned: 2 });
  });

  test("keeps its importer assigned on a private board, of which the file names no members", async () => {
    const { workspace, owner } = await make.workspace();
    const member = await make.member(workspace, "member", rich.member);
    const alone = changed((file) => {
      file.memberPublicIds = [];
    });
    const { answer, file } = await filesOf(as(member)).imported(workspace, alone);
    expect(answer.unmatchedAssignees).toEqual([rich.guest.email]);
    expect(cardOf(file, "=HYPERLINK(1)").memberPublicIds).toEqual([member.memberPublicId]);
    expect(file.people.map(({ email }) => email)).not.toContain(owner.email);
  });

  test("has flat threads, however deep the replies of the file are", async () => {
    const deep = changed((file) => {
      const { comments } = cardOf(file, "=HYPERLINK(1)");
      for (const [index, comment] of comments.entries()) {
        comment.parentCommentPublicId = comments[index - 1]?.publicId ?? null;
      }
    });
    const { file } = await imported((await make.workspace({ owner: rich.owner })).workspace, deep);
    const [first, ...others] = cardOf(file, "=HYPERLINK(1)").comments;
    expect(others).toHaveLength(3);
    expect(others.map(({ parentCommentPublicId }) => parentCommentPublicId)).toEqual(others.map(() => first?.publicId));
  });

  test("makes one label of those whose names differ in case alone", async () => {
    const { workspace, owner } = await make.workspace();
    const doubled = changed((file) => {
      file.labels.push({ publicId: "anotherLabel", name: "ZEBRA", colourCode: "#000000" });
      cardOf(file, "First").labelPublicIds.push("anotherLabel");
    });
    const { answer, file } = await filesOf(as(owner)).imported(workspace, doubled);
    expect(answer.warnings).toContainEqual({ rowNumber: 0, reason: "labelMerged", value: "ZEBRA" });
    expect(file.labels.map(({ name }) => name)).toEqual(["Zebra", "ant", "Ant 2", "日本語"]);
    expect(cardOf(file, "First").labelPublicIds).toEqual([file.labels[0]?.publicId]);
  });

  test("on a dry run answers the same and leaves no trace", async () => {
    const { workspace, owner } = await make.workspace();
    const { send } = filesOf(as(owner));
    const before = await contentsOf(db);
    const dry = ok(await send(workspace, original, { dryRun: true }));
    expect(await contentsOf(db)).toEqual(before);
    expect(dry).toEqual({ ...ok(await send(workspace, original)), boardPublicId: null });
  });
});

test("a file of a member's export can be imported by whoever may make boards, and by nobody else", async () => {
  const send = (client: Client) => filesOf(client).send(rich.workspace, original, { dryRun: true });
  expectError(await send(as(rich.guest)), "FORBIDDEN");
  ok(await send(as(rich.member)));
});
