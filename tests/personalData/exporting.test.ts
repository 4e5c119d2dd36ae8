// The export of everything about one person: what it holds, what it holds of nobody else, and how often it may be asked for.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { newPublicId, workspaceOf } from "../../src/db/ids.js";
import { expectError, expectTrpcError, ok, type Person, testApp } from "../helpers/app.js";
import { RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";

const app = await testApp(RECOVERY_ENVIRONMENT);
const { as, anonymous, make, db } = app;

/** The files of an export by name, and all their text. */
type Files = Record<string, string>;

const exported = (person: Person) => as(person).get<Files>("/users/me/export");
const rows = (files: Files, name: string): Record<string, unknown>[] => JSON.parse(files[name] ?? "");

const forget = ({ publicId }: Person, ago: string) =>
  db.rows(sql`
    update audit_entry set created_at = now() - ${ago}::interval
    where type = 'account.exported' and actor_id = (select id from account where public_id = ${publicId}::text)`);

/** A board with Ada's and Max's work on it, each text of which tells whose it is. */
async function scene() {
  const { board, list, owner: ada } = await make.list({ name: "A list of Ada's" });
  const max = await make.member(board, "admin");
  const by = (person: Person) => ({
    card: async (title: string, description = "") =>
      ok(await as(person).post<{ publicId: string }>("/cards", { listPublicId: list.publicId, title, description }))
        .publicId,
    comment: async (cardPublicId: string, comment: string) =>
      ok(await as(person).post<{ publicId: string }>(`/cards/${cardPublicId}/comments`, { comment })).publicId,
  });
  return { board, list, ada, max, by };
}

describe("an export", () => {
  test("holds what the person wrote and did, and no text, name or address of anybody else", async () => {
    const { board, ada, max, by } = await scene();
    const { workspace } = board;
    const own = await by(max).card("Written by Max", "Described by Max");
    ok(await as(ada).put(`/cards/${own}`, { dueDate: "2027-01-31", priority: "high" }));
    const foreign = await by(ada).card("Secret of Ada", "More of Ada");
    await by(ada).comment(own, "Ada says no");
    const said = await by(max).comment(foreign, "Max says yes");
    ok(await as(ada).post(`/cards/${own}/checklists`, { name: "Checked by Ada" }));
    ok(await as(ada).put(`/cards/${foreign}/members/${max.memberPublicId}`));
    ok(await as(max).put(`/boards/${board.publicId}`, { isFavourite: true }));
    ok(await as(max).put(`/boards/${board.publicId}/opened`));
    const text = await exported(max);
    const files = ok(text);

    const place = { workspacePublicId: workspace.publicId, boardPublicId: board.publicId };
    expect(rows(files, "cards.json")).toEqual([
      {
        ...place,
        publicId: own,
        cardNumber: 1,
        title: "Written by Max",
        description: "Described by Max",
        dueDate: "2027-01-31T00:00:00.000Z",
        dueHasTime: false,
        completedAt: null,
        priority: "high",
        archivedAt: null,
        createdAt: expect.any(String),
      },
    ]);
    expect(rows(files, "comments.json")).toEqual([
      {
        workspacePublicId: workspace.publicId,
        cardPublicId: foreign,
        publicId: said,
        comment: "Max says yes",
        createdAt: expect.any(String),
        editedAt: null,
      },
    ]);
    expect(rows(files, "assignments.json")).toEqual([{ ...place, cardPublicId: foreign }]);
    expect(rows(files, "favourites.json")).toEqual([place]);
    expect(rows(files, "recent.json")).toEqual([{ ...place, openedAt: expect.any(String) }]);
    expect(rows(files, "workspaces.json")).toEqual([
      expect.objectContaining({
        workspacePublicId: workspace.publicId,
        memberPublicId: max.memberPublicId,
        role: "admin",
      }),
    ]);
    expect(rows(files, "notifications.json").map(({ type, cardPublicId }) => ({ type, cardPublicId }))).toEqual(
      expect.arrayContaining([
        { type: "card.assigned", cardPublicId: foreign },
        { type: "comment.created", cardPublicId: own },
      ]),
    );
    expect(rows(files, "activities.json").map(({ type, cardPublicId }) => ({ type, cardPublicId }))).toEqual(
      expect.arrayContaining([
        { type: "card.created", cardPublicId: own },
        { type: "comment.created", cardPublicId: foreign },
      ]),
    );
    expect(rows(files, "audit.json").map(({ type }) => type)).toContain("account.exported");
    expect(files["README.txt"]).toContain("cards.json");

    const ofOthers = [ada.name, ada.email, ada.publicId, "Ada", workspace.name, workspace.slug, board.name];
    for (const word of ofOthers) expect(text.text).not.toContain(word);
  });

  test("holds the account with its settings, and no secret of it", async () => {
    const person = await make.user();
    const { secret, recoveryCodes } = await switchOn(app, person);
    const token = await make.token(person);
    await db.rows(sql`
      insert into identity (public_id, account_id, provider_id, issuer, subject, email)
      select ${newPublicId()}::text, id, 'example', 'https://id.example.org', ${newPublicId()}::text, 'max@work.example.org'
      from account where public_id = ${person.publicId}::text`);
    const answer = await exported(person);
    const account = JSON.parse(ok(answer)["account.json"] ?? "");

    expect(account).toMatchObject({
      profile: { ...ok(await as(person).get("/users/me")), isAdmin: false },
      notificationSettings: ok(await as(person).get("/users/me/notification-settings")),
      signIn: {
        hasPassword: true,
        twoFactor: { isOn: true, since: expect.any(String), recoveryCodes: 10 },
        identities: [{ providerId: "example", email: "max@work.example.org" }],
        links: [],
      },
      sessions: [{ isCurrent: true, userAgent: "lightMyRequest" }],
      tokens: [{ publicId: token.publicId }],
    });
    const [stored] = await db.rows<{ secrets: string[] }>(sql`
      select array_to_json(array(
        select password_hash from account where public_id = ${person.publicId}::text
        union all select token_hash from access_token t join account a on a.id = t.account_id
          where a.public_id = ${person.publicId}::text
        union all select code_hash from recovery_code r join account a on a.id = r.account_id
          where a.public_id = ${person.publicId}::text
        union all select secret from two_factor f join account a on a.id = f.account_id
          where a.public_id = ${person.publicId}::text)) as secrets`);
    const secrets = [...(stored?.secrets ?? []), secret, ...recoveryCodes, person.token, token.token, person.password];
    expect(secrets.length).toBeGreaterThan(15);
    for (const one of secrets) expect(answer.text).not.toContain(one);
  });

  test("has no text that somebody else edited last", async () => {
    const { ada, max, by } = await scene();
    const [titled, described, mine] = [
      await by(max).card("Title of Max", "Description of Max"),
      await by(max).card("Other title of Max", "Other description of Max"),
      await by(max).card("Third title of Max"),
    ];
    const edited = await by(max).comment(titled, "Comment of Max");
    const kept = await by(max).comment(titled, "Draft of Max");
    ok(await as(ada).put(`/cards/${titled}`, { title: "Title of Ada" }));
    ok(await as(ada).put(`/cards/${described}`, { description: "Description of Ada", dueDate: "2027-01-31" }));
    ok(await as(ada).put(`/cards/${mine}`, { title: "Title of Ada" }));
    ok(await as(max).put(`/cards/${mine}`, { title: "Title of Max again" }));
    ok(await as(ada).put(`/cards/${titled}/comments/${edited}`, { comment: "Comment of Ada" }));
    ok(await as(max).put(`/cards/${titled}/comments/${kept}`, { comment: "Final words of Max" }));
    const answer = await exported(max);
    const files = ok(answer);

    expect(rows(files, "cards.json").map(({ title, description }) => ({ title, description }))).toEqual([
      { title: null, description: "Description of Max" },
      { title: "Other title of Max", description: null },
      { title: "Title of Max again", description: "" },
    ]);
    expect(rows(files, "comments.json").map(({ comment }) => comment)).toEqual([null, "Final words of Max"]);
    expect(answer.text).not.toContain("Ada");
  });

  test("has nothing of a board that the person lost, but for their own comments", async () => {
    const { workspace } = await make.workspace();
    const { board } = await make.board({ workspace, visibility: "private" });
    const { list } = await make.list({ board });
    const guest = await make.member(board, "guest");
    const { card } = await make.card({ list });
    const said = ok(
      await as(guest).post<{ publicId: string }>(`/cards/${card.publicId}/comments`, { comment: "Mine" }),
    );
    const other = ok(
      await as(guest).post<{ publicId: string }>(`/cards/${card.publicId}/comments`, { comment: "Also" }),
    );
    const path = `/cards/${card.publicId}/comments/${other.publicId}`;
    ok(await as(board.owner).put(path, { comment: "Not the guest's any more" }));
    ok(await as(board.owner).put(`/cards/${card.publicId}/members/${guest.memberPublicId}`));
    ok(await as(guest).put(`/boards/${board.publicId}`, { isFavourite: true }));
    ok(await as(board.owner).delete(`/boards/${board.publicId}/members/${guest.memberPublicId}`));
    const stays = await exported(guest);
    ok(await as(board.owner).delete(`/workspaces/${workspace.publicId}/members/${guest.memberPublicId}`));
    await forget(guest, "61 minutes");
    const left = await exported(guest);

    for (const answer of [stays, left]) {
      const files = ok(answer);
      expect(rows(files, "comments.json")).toEqual([
        expect.objectContaining({ publicId: said.publicId, comment: "Mine", cardPublicId: null }),
        expect.objectContaining({ publicId: other.publicId, comment: null, cardPublicId: null }),
      ]);
      for (const id of [board.publicId, list.publicId, card.publicId]) expect(answer.text).not.toContain(id);
    }
    expect(rows(ok(stays), "workspaces.json")).toHaveLength(1);
    expect(rows(ok(left), "workspaces.json")).toEqual([]);
    expect(rows(ok(left), "activities.json")).toEqual([]);
  });

  test("leaves out comments that the person imported for others", async () => {
    const { board, list, owner } = await make.list();
    const { card } = await make.card({ list });
    ok(await as(owner).post(`/cards/${card.publicId}/comments`, { comment: "Said by the importer" }));
    const file = ok(
      await as(owner).get<{ cards: { comments: { author: string; comment: string }[] }[] }>(
        `/boards/${board.publicId}/export`,
      ),
    );
    for (const { comments } of file.cards)
      for (const comment of comments) Object.assign(comment, { author: "Somebody Else", comment: "Said elsewhere" });
    const { publicId: workspacePublicId } = board.workspace;
    ok(await as(owner).post("/imports/boards", { workspacePublicId, board: file }));
    const answer = await exported(owner);
    expect(rows(ok(answer), "comments.json").map(({ comment }) => comment)).toEqual(["Said by the importer"]);
    expect(answer.text).not.toMatch(/Somebody Else|Said elsewhere/);
  });

  test("holds every row, however many, once and in order", async () => {
    const { list, owner } = await make.list();
    const { card } = await make.card({ list });
    const workspaceId = workspaceOf(card.publicId);
    const count = 450;
    await db.rows(sql`
      insert into comment (workspace_id, id, public_id, card_id, author_id, comment)
      select ${workspaceId}::bigint, 1000000 + n, 'many' || lpad(n::text, 8, '0'), c.id, a.id, 'Comment ' || n
      from generate_series(1, ${count}::int) n
      join card c on c.workspace_id = ${workspaceId}::bigint and c.public_id = ${card.publicId}::text
      join account a on a.public_id = ${owner.publicId}::text`);
    await db.rows(sql`
      insert into notification (workspace_id, id, public_id, account_id, type, created_at)
      select ${workspaceId}::bigint, 1000000 + n, 'many' || lpad(n::text, 8, '0'), a.id, 'mention', '2027-01-01'
      from generate_series(1, ${count}::int) n join account a on a.public_id = ${owner.publicId}::text`);
    const files = ok(await exported(owner));
    const all = Array.from({ length: count }, (_, n) => `many${String(n + 1).padStart(8, "0")}`);
    expect(rows(files, "comments.json").map(({ publicId }) => publicId)).toEqual(all);
    expect(rows(files, "notifications.json").map(({ publicId }) => publicId)).toEqual(all);
  });

  test("is a file that nobody keeps", async () => {
    const { headers } = await exported(await make.user());
    expect(headers).toMatchObject({
      "content-type": "application/zip",
      "content-disposition": 'attachment; filename="work-board-export.zip"',
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("who may export, and how often", () => {
  test("once an hour: the next one is told how long to wait", async () => {
    const person = await make.user();
    ok(await exported(person));
    const refused = await exported(person);
    expectError(refused, "TOO_MANY_REQUESTS");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3590);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(3600);
    ok(await exported(await make.user()));
    await forget(person, "59 minutes");
    expect((await exported(person)).headers["retry-after"]).toMatch(/^(59|60)$/);
    await forget(person, "60 minutes");
    ok(await exported(person));
  });

  test("of five at once, on two processes, one succeeds, and one is recorded", async () => {
    const person = await make.user();
    const other = await app.another({});
    const calls = [as, other.as, as, other.as, as].map((client) => client(person).get("/users/me/export"));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 429, 429, 429, 429]);
    const recorded = await db.rows(sql`
      select e.target->>'publicId' as person, e.address from audit_entry e join account a on a.id = e.actor_id
      where e.type = 'account.exported' and a.public_id = ${person.publicId}::text`);
    expect(recorded).toEqual([{ person: person.publicId, address: "127.0.0.1" }]);
  });

  test("not without a session, and what is refused does not count", async () => {
    const person = await make.user();
    expectError(await anonymous.get("/users/me/export"), "UNAUTHORIZED");
    const token = (await make.token(person)).token;
    expectError(await as({ token }).get("/users/me/export"), "FORBIDDEN");
    await expectTrpcError(app.trpcClient(person).user.export.query(), "PRECONDITION_FAILED");
    ok(await exported(person));
  });
});
