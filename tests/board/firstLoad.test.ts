// What a page reads first: `GET /users/me/start` against the operations that answer its parts.

import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { appOn, type Board, type Fields, ok, type Person } from "../helpers/app.js";
import { countingStatements, openTestDatabase } from "../helpers/databases.js";
import { RECOVERY_ENVIRONMENT, switchOn } from "../helpers/recovery.js";
import type { Bearer } from "../helpers/requests.js";

const { through, during } = countingStatements();
const { db, close } = await openTestDatabase(through);
afterAll(close);
const app = await appOn(db, { ...RECOVERY_ENVIRONMENT, RATE_LIMIT_PER_MINUTE: "0" });
const { as, make } = app;

interface Marked {
  publicId: string;
  workspacePublicId: string;
}

interface Start {
  user: Fields;
  workspaces: Fields[];
  favourites: Marked[];
  recent: Marked[];
  unreadCount: number;
  notificationId: number;
  instance: Fields;
}

const start = async (person: Bearer, query = "") => ok(await as(person).get<Start>(`/users/me/start${query}`));

const favour = async (person: Person, { publicId }: Pick<Board, "publicId">) =>
  ok(await as(person).put(`/boards/${publicId}`, { isFavourite: true }));

async function open(person: Person, { publicId }: Pick<Board, "publicId">, minutes: number) {
  ok(await as(person).put(`/boards/${publicId}/opened`));
  await db.rows(sql`
    update board_opened set opened_at = now() - ${minutes}::int * interval '1 minute'
    where (workspace_id, board_id) in (select workspace_id, id from board where public_id = ${publicId}::text)
      and account_id in (select id from account where public_id = ${person.publicId}::text)`);
}

const idsOf = (boards: readonly { publicId: string }[]) => boards.map(({ publicId }) => publicId);

test("its parts are what the operations of their own answer, at most four statements", async () => {
  const { owner, workspace, board } = await make.board({ lists: ["To do"] });
  await make.card({ board });
  const { tag } = await make.tag({ workspace });
  ok(await as(owner).put(`/boards/${board.publicId}/tags/${tag.publicId}`));
  await make.workspace({ owner });
  await favour(owner, board);
  await open(owner, board, 1);
  const [summary] = ok(await as(owner).get<Fields[]>(`/workspaces/${workspace.publicId}/boards`));
  const marked = { ...summary, workspacePublicId: workspace.publicId };

  expect(await start(owner)).toEqual({
    user: { ...ok(await as(owner).get("/users/me")), isAdmin: false, hasPassword: true, hasTwoFactor: false },
    workspaces: ok(await as(owner).get<Fields[]>("/workspaces")),
    favourites: [marked],
    recent: [marked],
    unreadCount: 0,
    notificationId: 0,
    instance: {
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      methods: ok(await app.anonymous.get("/auth/methods")),
      limits: { callsPerMinute: null, openStreams: 20, bodyBytes: 2 ** 20, importBytes: 64 * 2 ** 20 },
    },
  });
  expect(marked).toMatchObject({ openCards: 1, isFavourite: true, tags: [{ publicId: tag.publicId }] });
  expect(await during(() => start(owner))).toBeLessThanOrEqual(4);
});

test("the user says how the account is secured", async () => {
  const person = await make.instanceAdmin(await make.user());
  await switchOn(app, person);
  expect((await start(person)).user).toMatchObject({ isAdmin: true, hasPassword: true, hasTwoFactor: true });
  await db.rows(sql`update account set password_hash = null where public_id = ${person.publicId}::text`);
  expect((await start(person)).user).toMatchObject({ hasPassword: false });
});

test("boards opened last come first, 20 at most; archived ones and those out of sight are left out", async () => {
  const { owner, workspace } = await make.workspace();
  const member = await make.member(workspace, "member");
  const boards: Board[] = [];
  for (let n = 0; n < 23; n += 1) boards.push((await make.board({ workspace, name: `Board ${n}` })).board);
  for (const [minutes, board] of boards.entries()) await open(member, board, minutes);
  expect(idsOf((await start(member)).recent)).toEqual(idsOf(boards.slice(0, 20)));
  expect((await start(owner)).recent).toEqual([]);

  const [first, second, third, ...others] = boards;
  if (first === undefined || second === undefined || third === undefined) throw new Error("No boards");
  for (const board of [third, second, first]) await favour(member, board);
  expect(idsOf((await start(member)).favourites)).toEqual(idsOf([first, second, third]));
  ok(await as(owner).post(`/boards/${first.publicId}/archive`));
  ok(await as(owner).put(`/boards/${second.publicId}`, { visibility: "private" }));
  const shown = await start(member);
  expect(idsOf(shown.recent)).toEqual(idsOf([third, ...others].slice(0, 20)));
  expect(idsOf(shown.favourites)).toEqual([third.publicId]);
});

test("a bound token gets its workspace, with the boards and the permissions of the token", async () => {
  const { owner, workspace, board } = await make.board();
  const { board: elsewhere } = await make.board({ owner });
  for (const one of [board, elsewhere]) await open(owner, one, 1);
  const bound = await make.token(owner, { scope: "read", workspacePublicId: workspace.publicId });

  const shown = await start(bound);

  expect(shown.workspaces).toMatchObject([{ publicId: workspace.publicId }]);
  expect(shown.workspaces).not.toMatchObject([{ me: { permissions: expect.arrayContaining(["board:edit"]) } }]);
  expect(idsOf(shown.recent)).toEqual([board.publicId]);
  expect(idsOf((await start(owner)).recent).sort()).toEqual(idsOf([board, elsewhere]).sort());
});

test("the notifications behind the position are those that are not counted", async () => {
  const { owner, workspace, card } = await make.card();
  const member = await make.member(workspace, "member");
  const mention = () =>
    as(owner).post(`/cards/${card.publicId}/comments`, { comment: `@[Name](${member.memberPublicId})` });
  for (let n = 0; n < 2; n += 1) ok(await mention());

  const shown = await start(member);

  expect(shown).toMatchObject({ unreadCount: 2, notificationId: 2 });
  expect(await start(member)).toEqual(shown);
  expect(await during(() => start(member))).toBeLessThanOrEqual(4);
  ok(await as(member).post("/notifications/read-all"));
  expect(await start(member)).toMatchObject({ unreadCount: 0, notificationId: 2 });
});

test("an unchanged answer is 304, and a changed name is not", async () => {
  const person = await make.user();
  const first = await as(person).get("/users/me/start");
  const again = () =>
    as(person).send({
      method: "GET",
      url: "/api/v1/users/me/start",
      headers: { "if-none-match": String(first.headers.etag) },
    });
  expect((await again()).status).toBe(304);
  ok(await as(person).put("/users/me", { name: "Renamed" }));
  expect((await again()).status).toBe(200);
});
