import { describe, expect, test } from "vitest";
import { permissionsOf } from "../../src/access/permissions.js";
import { type Board, contentsOf, expectError, type List, ok, testApp } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";
const DAY_MS = 24 * 60 * 60 * 1000;

interface Shown {
  publicId: string;
  title: string;
  index: number;
}

interface ShownBoard {
  lists: { publicId: string; name: string; index: number; cards: Shown[] }[];
  members: { publicId: string; email: string | null }[];
}

const pathOf = ({ publicId }: Board, query = "") => `/boards/${publicId}${query}`;

const read = async (board: Board, query = "", person: { token: string } = board.owner) =>
  ok(await as(person).get<ShownBoard>(pathOf(board, query)));

async function boardWith(...names: string[]) {
  const { owner, workspace, board } = await make.board({ lists: names });
  const lists = (await read(board)).lists.map(({ publicId, name }): List => ({ publicId, name, owner, board }));
  const [first] = lists;
  if (first === undefined) throw new Error("A board without a list");
  return { owner, workspace, board, lists, list: first };
}

/** The titles of the cards that a query shows, list by list, each with its index. */
const titles = async (board: Board, query: string) =>
  (await read(board, query)).lists.map(({ cards }) => cards.map(({ title, index }) => `${title}${index}`).join(" "));

describe("a whole board", () => {
  test("has exactly the fields of the contract, cards with everything on them", async () => {
    const { owner, workspace, board, list } = await boardWith("To do");
    const { label } = await make.label({ board, name: "b" });
    const { label: second } = await make.label({ board, name: "A" });
    const { tag } = await make.tag({ workspace });
    const member = await make.member(board, "member");
    ok(await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`));
    const { card } = await make.card({
      list,
      title: "Card",
      description: " kept as sent ",
      dueDate: "2027-03-01",
      priority: "high",
      labelPublicIds: [label.publicId, second.publicId],
      memberPublicIds: [member.memberPublicId],
    });
    const { checklist, item } = await make.item({ checklist: (await make.checklist({ card })).checklist });
    await make.item({ checklist });
    ok(await as(owner).put(`/checklist-items/${item.publicId}`, { completed: true }));
    ok(await as(owner).put(`/cards/${card.publicId}`, { completed: true }));

    const shown = await read(board);

    const shownLabels = [second, label].map(({ publicId, name, colourCode }) => ({ publicId, name, colourCode }));
    expect(shown).toEqual({
      publicId: board.publicId,
      name: board.name,
      slug: board.slug,
      visibility: "workspace",
      isArchived: false,
      isFavourite: false,
      me: { memberPublicId: expect.any(String), role: "admin", permissions: permissionsOf("admin") },
      eventId: expect.any(Number),
      tags: [tag],
      workspace: {
        publicId: workspace.publicId,
        name: workspace.name,
        slug: workspace.slug,
        cardPrefix: expect.stringMatching(/^[A-Z0-9]{1,10}$/),
      },
      labels: shownLabels,
      members: [
        {
          publicId: expect.any(String),
          name: owner.name,
          email: owner.email,
          image: null,
          role: "admin",
          status: "active",
        },
        {
          publicId: member.memberPublicId,
          name: member.name,
          email: member.email,
          image: null,
          role: "member",
          status: "active",
        },
      ],
      lists: [
        {
          publicId: list.publicId,
          name: "To do",
          index: 0,
          cards: [
            {
              publicId: card.publicId,
              title: "Card",
              description: " kept as sent ",
              cardNumber: card.cardNumber,
              index: 0,
              dueDate: "2027-03-01T00:00:00.000Z",
              dueHasTime: false,
              completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
              priority: "high",
              labels: shownLabels,
              members: [{ publicId: member.memberPublicId, name: member.name, image: null }],
              checklistItems: { total: 2, completed: 1 },
              commentCount: 0,
            },
          ],
        },
      ],
    });
  });

  test("lists and cards stand in order with their index, archived cards left out", async () => {
    const { owner, board, lists, list } = await boardWith("a", "b", "c");
    for (const title of ["w", "x", "y", "z"]) await make.card({ list, title });
    const [first] = (await read(board)).lists;
    const [w, x] = first?.cards ?? [];
    ok(await as(owner).post(`/cards/${x?.publicId}/archive`));
    ok(await as(owner).put(`/cards/${w?.publicId}`, { index: 9 }));
    await make.card({ list, title: "v", index: 1 });
    ok(await as(owner).put(`/lists/${lists[2]?.publicId}`, { index: 0 }));

    const shown = await read(board);

    expect(shown.lists.map(({ name, index }) => `${name}${index}`)).toEqual(["c0", "a1", "b2"]);
    expect(await titles(board, "")).toEqual(["", "y0 v1 z2 w3", ""]);
  });
});

describe("filters", () => {
  test("by member, label and priority leave out cards, never lists, and the index stays the true one", async () => {
    const { owner, board, lists } = await boardWith("a", "b");
    const [a, b] = lists;
    const { label } = await make.label({ board });
    const { label: second } = await make.label({ board });
    const member = await make.member(board, "member");
    const memberPublicIds = [member.memberPublicId];
    const labelPublicIds = [label.publicId, second.publicId];
    for (const list of [a, b]) {
      await make.card({ list, title: "p" });
      await make.card({ list, title: "q", memberPublicIds, labelPublicIds, priority: "low" });
      await make.card({ list, title: "r" });
    }
    await make.card({ list: a, title: "s", priority: "low" });

    expect(await titles(board, `?memberPublicId=${member.memberPublicId}`)).toEqual(["q1", "q1"]);
    expect(await titles(board, `?labelPublicId=${label.publicId}`)).toEqual(["q1", "q1"]);
    expect(await titles(board, "?priority=low")).toEqual(["q1 s3", "q1"]);
    expect(await titles(board, "?priority=none")).toEqual(["p0 r2", "p0 r2"]);
    expect(await titles(board, `?priority=low&labelPublicId=${label.publicId}&search=Q`)).toEqual(["q1", "q1"]);
    expect(await titles(board, `?priority=urgent&labelPublicId=${label.publicId}`)).toEqual(["", ""]);
    const [shown] = (await read(board, `?labelPublicId=${label.publicId}`)).lists;
    expect(shown?.cards[0]).toMatchObject({ labels: [{}, {}], members: [{ publicId: member.memberPublicId }] });
    expect(await read(board, "?priority=urgent")).toMatchObject({ labels: [{}, {}], members: [{}, {}] });
    expect(ok(await as(owner).get(pathOf(board, "?_=1")))).toMatchObject({ lists: [{}, {}] });
  });

  test("an identifier that is unknown or of elsewhere gives empty lists, and no error", async () => {
    const { owner, board, list } = await boardWith("a");
    await make.card({ list });
    const { label } = await make.label({ board: (await make.board({ owner })).board });
    const stranger = await make.member((await make.workspace()).workspace, "member");

    for (const query of [
      `labelPublicId=${UNKNOWN}`,
      `labelPublicId=${label.publicId}`,
      `memberPublicId=${UNKNOWN}`,
      `memberPublicId=${stranger.memberPublicId}`,
    ]) {
      expect(await titles(board, `?${query}`)).toEqual([""]);
    }
  });

  test("by due date: overdue means past and not completed, today and the week begin in UTC", async () => {
    const { owner, board, list } = await boardWith("a");
    const now = Date.now();
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const at = (ms: number) => new Date(ms).toISOString();
    // Monday is the default; 1 January 1970 was a Thursday.
    const week = today - ((today / DAY_MS + 3) % 7) * DAY_MS;
    const dates = {
      a: at(now - 60_000),
      b: at(today),
      c: at(today + DAY_MS - 1),
      d: at(today + DAY_MS),
      e: at(week),
      f: at(week - 1),
      g: at(week + 7 * DAY_MS - 1),
      h: at(week + 7 * DAY_MS),
    };
    for (const [title, dueDate] of Object.entries(dates)) await make.card({ list, title, dueDate });
    await make.card({ list, title: "n" });
    const { card: done } = await make.card({ list, title: "z", dueDate: at(now - 9 * DAY_MS) });
    ok(await as(owner).put(`/cards/${done.publicId}`, { completed: true }));

    const due = async (kind: string) => {
      const [shown] = (await read(board, `?due=${kind}`)).lists;
      return shown?.cards.map(({ title }) => title).join("");
    };
    const within = (from: number, to: number) =>
      Object.entries(dates)
        .filter(([, date]) => Date.parse(date) >= from && Date.parse(date) < to)
        .map(([title]) => title)
        .join("");
    expect(await due("none")).toBe("n");
    expect(await due("overdue")).toBe(within(0, now));
    expect(await due("today")).toBe(within(today, today + DAY_MS));
    expect(await due("week")).toBe(within(week, week + 7 * DAY_MS));

    for (const day of [0, 3, 6]) {
      ok(await as(owner).put(`/workspaces/${board.workspace.publicId}`, { weekStartDay: day }));
      const start = today - ((new Date(today).getUTCDay() - day + 7) % 7) * DAY_MS;
      expect(await due("week")).toBe(within(start, start + 7 * DAY_MS));
    }
  });

  test.each([
    ["100%", "100% sure", true],
    ["100%", "100 percent", false],
    ["a_b", "xa_bx", true],
    ["a_b", "acb", false],
    ["c:\\temp", "C:\\Temp\\x", true],
    ["\\", "no backslash", false],
    ["\\%", "\\%", true],
    ["'", "it's", true],
    ["ÄRGER", "viel ärger", true],
    ["ñandú", "EL ÑANDÚ", true],
    ["argER", "ärger", false],
    ["привет", "ПРИВЕТ МИР", true],
    ["🙂", "smile 🙂!", true],
    ["a b", "a  b", false],
  ])("search for %j in %j: %j, in title and description alike", async (search, text, isFound) => {
    const { board, list } = await boardWith("a");
    await make.card({ list, title: "x", description: "y" });
    await make.card({ list, title: text });
    await make.card({ list, title: "t", description: `line\n${text}` });

    const [shown] = (await read(board, `?search=${encodeURIComponent(search)}`)).lists;

    expect(shown?.cards.map(({ index }) => index)).toEqual(isFound ? [1, 2] : []);
  });

  test.each([
    "memberPublicId=short",
    "labelPublicId=",
    "priority=highest",
    "due=tomorrow",
    "search=",
    `search=${"x".repeat(201)}`,
    "search=a%00b",
    "priority=low&priority=high",
  ])("a wrong filter is refused: %s", async (query) => {
    const { owner, board } = await boardWith("a");
    expectError(await as(owner).get(pathOf(board, `?${query}`)), "BAD_REQUEST", query.split("=")[0]);
  });
});

describe("who sees it", () => {
  test("strangers, tokens bound elsewhere, and of a private board those who are not on it, are FORBIDDEN; an unknown board is NOT_FOUND", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const { workspace: other } = await make.workspace({ owner });
    const forbidden = [
      await make.user(),
      await make.member(workspace, "member"),
      await make.member(workspace, "guest"),
      await make.token(owner, { workspacePublicId: other.publicId }),
    ];
    const allowed = [
      owner,
      await make.member(workspace, "admin"),
      await make.member(board, "member"),
      await make.member(board, "guest"),
      await make.token(owner, { workspacePublicId: workspace.publicId, scope: "read" }),
    ];

    for (const person of forbidden) expectError(await as(person).get(pathOf(board)), "FORBIDDEN");
    for (const person of allowed) ok(await as(person).get(pathOf(board)));
    expectError(await as(owner).get(`/boards/${UNKNOWN}`), "NOT_FOUND");
    expectError(await anonymous.get(pathOf(board)), "UNAUTHORIZED");
  });

  test("addresses: admins see all, members each other's unless the workspace hides them, guests their own alone", async () => {
    const { owner, workspace, board } = await make.board();
    const member = await make.member(board, "member");
    const guest = await make.member(board, "guest");
    const everyone = [owner.email, member.email, guest.email];
    const seenBy = async (person: { token: string }) =>
      (await read(board, "", person)).members.map(({ email }) => email);

    expect(await seenBy(owner)).toEqual(everyone);
    expect(await seenBy(member)).toEqual(everyone);
    expect(await seenBy(guest)).toEqual([null, null, guest.email]);
    ok(await as(owner).put(`/workspaces/${workspace.publicId}`, { showEmailsToMembers: false }));
    expect(await seenBy(owner)).toEqual(everyone);
    expect(await seenBy(member)).toEqual([null, member.email, null]);
    expect(await seenBy(guest)).toEqual([null, null, guest.email]);
  });

  test("members of the workspace who are not on the board are not among its members, assigned or not", async () => {
    const { owner, workspace, board, list } = await boardWith("a");
    const outsider = await make.member(workspace, "member");
    await make.card({ list, memberPublicIds: [outsider.memberPublicId] });

    const shown = await read(board, "", owner);

    expect(shown.members).toHaveLength(1);
    expect(shown.lists[0]?.cards).toMatchObject([{ members: [{ publicId: outsider.memberPublicId }] }]);
  });
});

describe("a public board", () => {
  const read = ({ publicId }: Board) => anonymous.get<Record<string, unknown>>(`/public/boards/${publicId}`);

  test("is shown to anyone, without people and, of the workspace, with the name alone", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "public", lists: ["a"] });
    const { label } = await make.label({ board });
    const { tag } = await make.tag({ workspace });
    const { lists } = ok(await as(owner).get<ShownBoard>(pathOf(board)));
    const member = await make.member(board, "member");
    const list: List = { publicId: lists[0]?.publicId ?? "", name: "a", owner, board };
    const fields = { labelPublicIds: [label.publicId], memberPublicIds: [member.memberPublicId] };
    const { card } = await make.card({ list, ...fields });
    const { card: hidden } = await make.card({ list });
    ok(await as(owner).post(`/cards/${hidden.publicId}/archive`));
    ok(await as(owner).put(`${pathOf(board)}/tags/${tag.publicId}`));
    ok(await as(owner).put(pathOf(board), { isFavourite: true }));
    const before = await contentsOf(db);
    const { lists: full } = ok(await as(owner).get<ShownBoard>(pathOf(board)));

    const res = await read(board);

    expect(ok(res)).toEqual({
      publicId: board.publicId,
      name: board.name,
      slug: board.slug,
      visibility: "public",
      isArchived: false,
      isFavourite: false,
      tags: [tag],
      workspace: { name: workspace.name },
      labels: [{ publicId: label.publicId, name: label.name, colourCode: label.colourCode }],
      members: [],
      lists: [{ ...full[0], cards: [{ ...full[0]?.cards[0], members: [], commentCount: 0 }] }],
    });
    expect(full[0]?.cards).toMatchObject([{ publicId: card.publicId, members: [{}] }]);
    for (const secret of [
      owner.email,
      owner.name,
      member.email,
      member.name,
      member.memberPublicId,
      workspace.publicId,
    ]) {
      expect(res.text).not.toContain(secret);
    }
    expect(ok(await as(await make.user()).get(`/public/boards/${board.publicId}`))).toEqual(res.body);
    expect((await contentsOf(db)).counters).toEqual(before.counters);
  });

  test("one that is not public, archived, deleted or unknown is NOT_FOUND alike, to its members too", async () => {
    const { owner, board } = await make.board({ visibility: "public" });
    const { board: shared } = await make.board({ owner });
    const { board: hidden } = await make.board({ owner, visibility: "private" });
    const { board: gone } = await make.board({ owner, visibility: "public" });
    ok(await read(board));
    ok(await as(owner).post(`${pathOf(board)}/archive`));
    ok(await as(owner).delete(pathOf(gone)));

    const bodies = [];
    for (const { publicId } of [board, shared, hidden, gone, { publicId: UNKNOWN }]) {
      for (const person of [anonymous, as(owner)]) {
        const res = await person.get(`/public/boards/${publicId}`);
        expectError(res, "NOT_FOUND");
        bodies.push(res.text);
      }
    }
    expect(new Set(bodies).size).toBe(1);
    ok(await as(owner).post(`${pathOf(board)}/unarchive`));
    ok(await read(board));
    ok(await as(owner).put(pathOf(board), { visibility: "workspace" }));
    expectError(await read(board), "NOT_FOUND");
    expectError(await anonymous.get("/public/boards/short"), "BAD_REQUEST", "boardPublicId");
  });
});
