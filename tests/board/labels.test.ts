import { describe, expect, test } from "vitest";
import { type Board, contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import { deadlocksIn } from "../helpers/databases.js";
import { eventsOf, lastEvent } from "./events.js";

const { as, make, db } = await testApp();

const UNKNOWN = "AAAAAAAAAAAA";

interface Label {
  publicId: string;
  name: string;
  colourCode: string;
}

const labelsOf = async ({ owner, publicId }: Board) =>
  ok(await as(owner).get<{ labels: Label[] }>(`/boards/${publicId}`)).labels;

const labelsOn = async (board: Board, cardPublicId: string) =>
  ok(await as(board.owner).get<{ labels: Label[] }>(`/cards/${cardPublicId}`)).labels;

describe("creating", () => {
  test("a member adds a label, its name trimmed, with an event that names it; labels come by name", async () => {
    const { workspace, board } = await make.board({ labels: [{ name: "b", colourCode: "#000000" }] });
    const member = await make.member(workspace, "member");
    const body = { boardPublicId: board.publicId, name: "  A Bug ", colourCode: "#ABcdef" };

    const label = ok(await as(member).post<Label>("/labels", body));

    expect(label).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      name: "A Bug",
      colourCode: "#ABcdef",
    });
    expect(await labelsOf(board)).toMatchObject([label, { name: "b" }]);
    expect(await eventsOf(db, workspace, 1)).toEqual([
      {
        seq: 2,
        type: "label.created",
        actor: member.publicId,
        board: board.publicId,
        card: null,
        data: { labelPublicId: label.publicId, label },
      },
    ]);
  });

  test("a name that another label of the board has, in any case of letters, is refused; another board may have it", async () => {
    const { owner, workspace, board } = await make.label({ name: "Großer Übergang" });
    const before = await contentsOf(db);

    for (const name of ["großer übergang", " GROßER ÜBERGANG ", "Großer Übergang".normalize("NFD")]) {
      const res = await as(owner).post("/labels", { boardPublicId: board.publicId, name, colourCode: "#112233" });
      expectError(res, "BAD_REQUEST", "name");
    }
    expect(await contentsOf(db)).toEqual(before);
    await make.label({ board: (await make.board({ workspace })).board, name: "Großer Übergang" });
  });

  test("of labels of one name added at once a single one is made, with one event", async () => {
    const { owner, workspace, board } = await make.board();

    const answers = await Promise.all(
      ["Same", "same", "SAME", "sAME", "Same", "saME"].map((name) =>
        as(owner).post("/labels", { boardPublicId: board.publicId, name, colourCode: "#112233" }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "name");
    expect(await labelsOf(board)).toHaveLength(1);
    expect(await eventsOf(db, workspace, 1)).toMatchObject([{ type: "label.created" }]);
  });

  test.each<[string, object]>([
    ["name", { colourCode: "#112233" }],
    ["name", { name: " ", colourCode: "#112233" }],
    ["name", { name: "x".repeat(65), colourCode: "#112233" }],
    ["colourCode", { name: "x" }],
    ["colourCode", { name: "x", colourCode: "#12345" }],
    ["colourCode", { name: "x", colourCode: "112233" }],
    ["publicId", { name: "x", colourCode: "#112233", publicId: UNKNOWN }],
    ["boardPublicId", { name: "x", colourCode: "#112233", boardPublicId: 1 }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    const { owner, board } = await make.board();
    expectError(await as(owner).post("/labels", { boardPublicId: board.publicId, ...body }), "BAD_REQUEST", field);
    expect(await labelsOf(board)).toEqual([]);
  });

  test("guests, strangers and who does not see the board cannot; an unknown board is FORBIDDEN", async () => {
    const { owner, workspace, board } = await make.board({ visibility: "private" });
    const body = { boardPublicId: board.publicId, name: "Mine", colourCode: "#112233" };

    for (const person of [
      await make.member(board, "guest"),
      await make.member(workspace, "member"),
      await make.user(),
    ]) {
      expectError(await as(person).post("/labels", body), "FORBIDDEN");
    }
    expectError(await as(owner).post("/labels", { ...body, boardPublicId: UNKNOWN }), "FORBIDDEN");
    expect(await labelsOf(board)).toEqual([]);
  });
});

describe("updating", () => {
  test("a label is renamed and recoloured on every card that has it, with an event that tells from and to", async () => {
    const { owner, workspace, board, card } = await make.card();
    const { label } = await make.label({ board, name: "Before" });
    ok(await as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`));
    const last = await lastEvent(db, workspace);

    const updated = ok(await as(owner).put(`/labels/${label.publicId}`, { name: " After ", colourCode: "#000000" }));

    expect(updated).toEqual({ publicId: label.publicId, name: "After", colourCode: "#000000" });
    expect(await labelsOf(board)).toEqual([updated]);
    expect(await labelsOn(board, card.publicId)).toEqual([updated]);
    expect(await eventsOf(db, workspace, last)).toMatchObject([
      {
        type: "label.updated",
        board: board.publicId,
        card: null,
        data: {
          labelPublicId: label.publicId,
          changes: { name: { from: "Before", to: "After" }, colourCode: { from: "#1f6feb", to: "#000000" } },
        },
      },
    ]);
  });

  test("nothing given, or the same again, changes nothing and writes no event", async () => {
    const { owner, label } = await make.label();
    const { publicId, name, colourCode } = label;
    const before = await contentsOf(db);
    for (const body of [{}, { name }, { name, colourCode }]) {
      expect(ok(await as(owner).put(`/labels/${publicId}`, body))).toEqual({ publicId, name, colourCode });
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("a label may change the case of its own name, and its old name is free; a taken one is refused", async () => {
    const { owner, board, label } = await make.label({ name: "bug" });
    const path = `/labels/${label.publicId}`;

    expect(ok(await as(owner).put(path, { name: "BUG" }))).toMatchObject({ name: "BUG" });
    ok(await as(owner).put(path, { name: "Defect" }));
    await make.label({ board, name: "Bug" });
    expectError(await as(owner).put(path, { name: "bug", colourCode: "#000000" }), "BAD_REQUEST", "name");
    expect((await labelsOf(board)).map(({ name, colourCode }) => [name, colourCode])).toEqual([
      ["Bug", "#1f6feb"],
      ["Defect", "#1f6feb"],
    ]);
  });

  test("of labels that take one name at once a single one gets it", async () => {
    const { owner, board } = await make.board();
    const made = [];
    for (let n = 0; n < 4; n += 1) made.push((await make.label({ board })).label);

    const answers = await Promise.all(
      made.map(({ publicId }) => as(owner).put(`/labels/${publicId}`, { name: "One" })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "name");
  });

  test("guests, strangers and read tokens can neither change nor delete a label; an unknown one is NOT_FOUND", async () => {
    const { owner, board, label } = await make.label();
    const path = `/labels/${label.publicId}`;
    const bystanders = [
      await make.member(board, "guest"),
      await make.user(),
      await make.token(owner, { scope: "read" }),
    ];

    for (const person of bystanders) {
      expectError(await as(person).put(path, { name: "Mine" }), "FORBIDDEN");
      expectError(await as(person).delete(path), "FORBIDDEN");
    }
    for (const id of [UNKNOWN, board.publicId]) {
      expectError(await as(owner).put(`/labels/${id}`, { name: "x" }), "NOT_FOUND");
      expectError(await as(owner).delete(`/labels/${id}`), "NOT_FOUND");
    }
    expectError(await as(owner).put(path, { colourCode: null }), "BAD_REQUEST", "colourCode");
    expect(await labelsOf(board)).toMatchObject([{ name: label.name }]);
  });
});

describe("deleting", () => {
  test("a deleted label is off every card, with one event that names it", async () => {
    const { owner, workspace, board, card } = await make.card();
    const { label } = await make.label({ board });
    const { label: other } = await make.label({ board });
    for (const { publicId } of [label, other]) ok(await as(owner).put(`/cards/${card.publicId}/labels/${publicId}`));
    const last = await lastEvent(db, workspace);

    expect(ok(await as(owner).delete(`/labels/${label.publicId}`))).toEqual({ success: true });

    expect(await labelsOf(board)).toMatchObject([{ publicId: other.publicId }]);
    expect(await labelsOn(board, card.publicId)).toMatchObject([{ publicId: other.publicId }]);
    expect(await eventsOf(db, workspace, last)).toMatchObject([
      { type: "label.deleted", board: board.publicId, data: { labelPublicId: label.publicId, name: label.name } },
    ]);
    expectError(await as(owner).delete(`/labels/${label.publicId}`), "NOT_FOUND");
    await make.label({ board, name: label.name });
  });

  test("labels are renamed, recoloured and deleted while cards take them, without an error or a deadlock", async () => {
    const { owner, board, list, card } = await make.card();
    const before = await deadlocksIn(db);
    for (let round = 0; round < 3; round += 1) {
      const labels = [];
      for (let n = 0; n < 5; n += 1) labels.push((await make.label({ board })).label);

      const answers = await Promise.all(
        labels.flatMap(({ publicId, name }) => [
          as(owner).post("/cards", { title: "x", listPublicId: list.publicId, labelPublicIds: [publicId] }),
          as(owner).put(`/cards/${card.publicId}/labels/${publicId}`),
          as(owner).put(`/labels/${publicId}`, { name: `${name}!` }),
          as(owner).post("/cards", { title: "y", listPublicId: list.publicId, labelPublicIds: [publicId] }),
          as(owner).delete(`/labels/${publicId}`),
          as(owner).put(`/cards/${card.publicId}/labels/${publicId}`),
        ]),
      );

      expect(answers.map(({ status }) => status).filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
      expect(await labelsOf(board)).toEqual([]);
    }
    expect(await deadlocksIn(db)).toBe(before);
  });

  test("a label made while a card brings one of the same name from another board is refused or made first", async () => {
    const { owner, workspace, board, list } = await make.list();
    for (let n = 0; n < 4; n += 1) {
      const name = `Label ${n}`;
      const { board: source } = await make.board({ workspace, labels: [{ name, colourCode: "#000000" }] });
      const { card } = await make.card({ board: source });
      const [label] = await labelsOf(source);
      ok(await as(owner).put(`/cards/${card.publicId}/labels/${label?.publicId}`));

      const [moved, made] = await Promise.all([
        as(owner).put(`/cards/${card.publicId}`, { listPublicId: list.publicId }),
        as(owner).post("/labels", { boardPublicId: board.publicId, name, colourCode: "#ffffff" }),
      ]);

      ok(moved);
      if (made.status !== 200) expectError(made, "BAD_REQUEST", "name");
      expect(await labelsOn(board, card.publicId)).toMatchObject([{ name }]);
    }
    expect(await labelsOf(board)).toHaveLength(4);
  });
});

describe("labels of elsewhere", () => {
  test("a label of another board or workspace is NOT_FOUND on a card's path and FORBIDDEN in a POST's body", async () => {
    const { owner, workspace, list, card } = await make.card();
    const { label: beside } = await make.label({ board: (await make.board({ workspace })).board });
    const { label: foreign } = await make.label({ board: (await make.board({ owner })).board });
    const before = await contentsOf(db);

    for (const labelPublicId of [beside.publicId, foreign.publicId, UNKNOWN]) {
      expectError(await as(owner).put(`/cards/${card.publicId}/labels/${labelPublicId}`), "NOT_FOUND");
      const body = { title: "x", listPublicId: list.publicId, labelPublicIds: [labelPublicId] };
      expectError(await as(owner).post("/cards", body), "FORBIDDEN");
      const update = { cardPublicIds: [card.publicId], addLabelPublicIds: [labelPublicId] };
      expectError(await as(owner).post("/cards/bulk/update", update), "FORBIDDEN");
    }
    expect(await contentsOf(db)).toEqual(before);
  });
});
