// Guarantees of labels and people on cards.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Card, contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { deadlocksIn } from "../helpers/databases.js";
import type { Label } from "../helpers/make.js";
import { storedOn, UNKNOWN } from "./stored.js";

const app = await testApp();
const { as, make, db } = app;
const { cardOf, newsOf, expectSound } = storedOn(app);

describe("with `on`", () => {
  test("a label or member is on the card or off it, whatever it was before; what was so writes no event", async () => {
    const { owner, workspace, board, card } = await make.card();
    const { label } = await make.label({ board });
    const member = await make.member(workspace, "member");
    const { cardPublicId } = { cardPublicId: card.publicId };
    const { labelPublicId, memberPublicId } = { labelPublicId: label.publicId, memberPublicId: member.memberPublicId };
    const path = `/cards/${cardPublicId}`;
    const trpc = app.trpcClient(owner).card;
    const toggles = {
      label: [
        (on: boolean) => as(owner).put(`${path}/labels/${labelPublicId}`, { on }).then(ok),
        (on: boolean) => trpc.toggleLabel.mutate({ cardPublicId, labelPublicId, on }),
      ],
      member: [
        (on: boolean) => as(owner).put(`${path}/members/${memberPublicId}`, { on }).then(ok),
        (on: boolean) => trpc.toggleMember.mutate({ cardPublicId, memberPublicId, on }),
      ],
    };
    for (const [kind, calls] of Object.entries(toggles)) {
      for (const call of calls) {
        const news = await newsOf(workspace);
        const field = kind === "label" ? "newLabel" : "newMember";
        for (const on of [false, true, true, false, false]) expect(await call(on)).toEqual({ [field]: on });
        expect((await news()).map(({ type }) => type)).toEqual([`card.${kind}.added`, `card.${kind}.removed`]);
      }
    }
    await expectSound(workspace);
  });

  test("only true or false are accepted, and what may not be assigned is refused unless it is off", async () => {
    const { owner, workspace, card } = await make.card();
    const guest = await make.member(workspace, "guest");
    const path = `/cards/${card.publicId}/members/${guest.memberPublicId}`;
    for (const on of ["true", 1, null]) expectError(await as(owner).put(path, { on }), "BAD_REQUEST", "on");
    expectError(await as(owner).put(path, { on: true }), "BAD_REQUEST", "memberPublicId");
    expect(ok(await as(owner).put(path, { on: false }))).toEqual({ newMember: false });
  });
});

describe("labels", () => {
  test("an absent one is attached, a present one detached, each with one event", async () => {
    const { owner, workspace, board, card } = await make.card();
    const { label } = await make.label({ board });
    const path = `/cards/${card.publicId}/labels/${label.publicId}`;
    const news = await newsOf(workspace);

    expect(ok(await as(owner).put(path))).toEqual({ newLabel: true });
    expect((await cardOf(owner, card)).labels).toMatchObject([{ publicId: label.publicId, name: label.name }]);
    expect(ok(await as(owner).put(path))).toEqual({ newLabel: false });
    expect((await cardOf(owner, card)).labels).toEqual([]);
    expect(ok(await as(owner).put(path, {}))).toEqual({ newLabel: true });

    const logged = { board: board.publicId, card: card.publicId, data: { labelPublicId: label.publicId } };
    expect(await news()).toMatchObject(
      ["added", "removed", "added"].map((verb) => ({ type: `card.label.${verb}`, ...logged })),
    );
    await expectSound(workspace);
  });

  test("unknown labels and those of another board are NOT_FOUND; guests and archived boards are refused", async () => {
    const { owner, workspace, board, card } = await make.card();
    const { label } = await make.label({ board });
    const { label: other } = await make.label({ board: (await make.board({ workspace })).board });
    const { label: foreign } = await make.label();
    const path = (labelId: string) => `/cards/${card.publicId}/labels/${labelId}`;
    const before = await contentsOf(db);

    for (const id of [UNKNOWN, other.publicId, foreign.publicId]) {
      for (const body of [{}, { on: true }, { on: false }])
        expectError(await as(owner).put(path(id), body), "NOT_FOUND");
    }
    expectError(await as(owner).put(`/cards/${UNKNOWN}/labels/${label.publicId}`), "NOT_FOUND");
    expect(await contentsOf(db)).toEqual(before);
    expectError(await as(await make.member(board, "guest")).put(path(label.publicId)), "FORBIDDEN");
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expectError(await as(owner).put(path(label.publicId)), "BAD_REQUEST");
    expect((await cardOf(owner, card)).labels).toEqual([]);
  });

  test("toggled while they are renamed and deleted, labels never fail a call nor deadlock", async () => {
    const { owner, workspace, board, list } = await make.list();
    const labels: Label[] = [];
    const cards: Card[] = [];
    for (let n = 0; n < 4; n += 1) {
      labels.push((await make.label({ board })).label);
      cards.push((await make.card({ list })).card);
    }
    const before = await deadlocksIn(db);

    const answers = await Promise.all(
      labels.flatMap((label, n) => [
        ...cards.map((card) => as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`)),
        as(owner).put(`/labels/${label.publicId}`, { name: `${label.name}!` }),
        ...cards.map((card) => as(owner).post(`/cards/${card.publicId}/duplicate`)),
        ...(n % 2 === 0 ? [as(owner).delete(`/labels/${label.publicId}`)] : []),
      ]),
    );

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await deadlocksIn(db)).toBe(before);
    await expectSound(workspace);
  });
});

describe("members", () => {
  test("an absent one is assigned, a present one taken off, each with one event", async () => {
    const { owner, workspace, board, card } = await make.card();
    const guest = await make.member(board, "guest");
    const path = `/cards/${card.publicId}/members/${guest.memberPublicId}`;
    const news = await newsOf(workspace);

    expect(ok(await as(owner).put(path))).toEqual({ newMember: true });
    expect((await cardOf(owner, card)).members).toEqual([
      { publicId: guest.memberPublicId, name: guest.name, image: null },
    ]);
    expect(ok(await as(owner).put(path))).toEqual({ newMember: false });
    expect((await cardOf(owner, card)).members).toEqual([]);

    const logged = { board: board.publicId, card: card.publicId, data: { memberPublicId: guest.memberPublicId } };
    expect(await news()).toMatchObject([
      { type: "card.member.added", ...logged },
      { type: "card.member.removed", ...logged },
    ]);
    await expectSound(workspace);
  });

  test("who does not see the board cannot be assigned; who no longer does can be taken off", async () => {
    const { owner, workspace, board } = await make.board();
    const { card } = await make.card({ board });
    const member = await make.member(workspace, "member");
    const guest = await make.member(workspace, "guest");
    const path = ({ memberPublicId }: { memberPublicId: string }) =>
      `/cards/${card.publicId}/members/${memberPublicId}`;

    expectError(await as(owner).put(path(guest)), "BAD_REQUEST", "memberPublicId");
    expect(ok(await as(owner).put(path(member)))).toEqual({ newMember: true });
    // Making a board private over HTTP takes them off; a row written before that did is what this is about.
    await db.rows(sql`update board set visibility = 'private' where public_id = ${board.publicId}::text`);
    expect(ok(await as(owner).put(path(member)))).toEqual({ newMember: false });
    expectError(await as(owner).put(path(member)), "BAD_REQUEST", "memberPublicId");
    await expectSound(workspace);
  });

  test("unknown people and those of another workspace are NOT_FOUND", async () => {
    const { owner, card } = await make.card();
    const stranger = await make.member((await make.workspace()).workspace, "member");
    for (const id of [UNKNOWN, stranger.memberPublicId]) {
      expectError(await as(owner).put(`/cards/${card.publicId}/members/${id}`), "NOT_FOUND");
    }
    expectError(await as(owner).put(`/cards/${card.publicId}/members/short`), "BAD_REQUEST", "memberPublicId");
  });

  test("toggled many times at once, the card ends as the last event says", async () => {
    const { owner, workspace, board, card } = await make.card();
    const member = await make.member(workspace, "member");
    const { label } = await make.label({ board });
    const news = await newsOf(workspace);
    const paths = [`members/${member.memberPublicId}`, `labels/${label.publicId}`];

    const answers = await Promise.all(
      Array.from({ length: 22 }, (_, n) => as(owner).put(`/cards/${card.publicId}/${paths[n % 2]}`)),
    );

    for (const res of answers) ok(res);
    const { members, labels } = await cardOf(owner, card);
    expect([members.length, labels.length]).toEqual([1, 1]);
    const types = (await news()).map(({ type }) => type);
    for (const kind of ["member", "label"]) {
      const verbs = types.filter((type) => type.startsWith(`card.${kind}.`));
      expect(verbs).toEqual(verbs.map((_, n) => `card.${kind}.${n % 2 === 0 ? "added" : "removed"}`));
      expect(verbs).toHaveLength(11);
    }
    await expectSound(workspace);
  });
});
