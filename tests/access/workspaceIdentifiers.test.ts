// Identifiers say which workspace they are of: those of none, of a deleted one, and of another than the call's are refused as the
// contract has it (section 1, Order of checks), and nothing is changed.

import { describe, expect, test } from "vitest";
import { newPublicIdIn } from "../../src/db/ids.js";
import { contentsOf, expectError, ok, testApp } from "../helpers/app.js";
import type { Method } from "../helpers/requests.js";

const { as, make, db } = await testApp();

describe("identifiers", () => {
  async function things() {
    const { owner, workspace, board, list, card } = await make.card();
    const { memberPublicId } = await make.member(workspace, "member");
    return {
      ...{ owner, workspace, memberPublicId },
      boardPublicId: board.publicId,
      listPublicId: list.publicId,
      cardPublicId: card.publicId,
      labelPublicId: (await make.label({ board })).label.publicId,
      tagPublicId: (await make.tag({ workspace })).tag.publicId,
      commentPublicId: (await make.comment({ card })).comment.publicId,
      workspacePublicId: workspace.publicId,
    };
  }
  type Things = Awaited<ReturnType<typeof things>>;
  type Asked = [Method, string, Record<string, unknown>?];

  const nobodys = newPublicIdIn(62 ** 5 - 1);
  const nameless: Omit<Things, "owner" | "workspace"> = {
    memberPublicId: nobodys,
    boardPublicId: nobodys,
    listPublicId: nobodys,
    cardPublicId: nobodys,
    labelPublicId: nobodys,
    tagPublicId: nobodys,
    commentPublicId: nobodys,
    workspacePublicId: nobodys,
  };

  test.each(["no workspace", "a deleted workspace"])(
    "of %s are NOT_FOUND, and FORBIDDEN under POST, whoever asks",
    async (of) => {
      const { owner, workspace, ...ids } = await things();
      const gone = of === "no workspace" ? nameless : ids;
      if (of !== "no workspace") ok(await as(owner).delete(`/workspaces/${workspace.publicId}`));
      const { owner: other } = await make.workspace();
      const asked: Asked[] = [
        ["GET", `/cards/${gone.cardPublicId}`],
        ["PUT", `/cards/${gone.cardPublicId}`, { title: "New" }],
        ["DELETE", `/cards/${gone.cardPublicId}`],
        ["PUT", `/cards/${gone.cardPublicId}/labels/${gone.labelPublicId}`],
        ["PUT", `/cards/${gone.cardPublicId}/comments/${gone.commentPublicId}`, { comment: "New" }],
        ["PUT", `/labels/${gone.labelPublicId}`, { name: "New" }],
        ["DELETE", `/lists/${gone.listPublicId}`],
        ["PUT", `/boards/${gone.boardPublicId}`, { name: "New" }],
        ["PUT", `/boards/${gone.boardPublicId}/tags/${gone.tagPublicId}`],
        ["PUT", `/workspaces/${gone.workspacePublicId}`, { name: "New" }],
        ["DELETE", `/workspaces/${gone.workspacePublicId}/members/${gone.memberPublicId}`],
        ["POST", "/cards", { title: "New", listPublicId: gone.listPublicId }],
        ["POST", `/cards/${gone.cardPublicId}/archive`],
        ["POST", "/cards/bulk/archive", { cardPublicIds: [gone.cardPublicId] }],
        ["POST", "/lists", { name: "New", boardPublicId: gone.boardPublicId }],
        ["POST", `/workspaces/${gone.workspacePublicId}/boards`, { name: "New" }],
      ];
      const before = await contentsOf(db);
      for (const caller of [owner, other]) {
        for (const [method, path, body] of asked) {
          const res = await as(caller).call(method)(path, body);
          expectError(res, method === "POST" ? "FORBIDDEN" : "NOT_FOUND");
        }
      }
      expect(await contentsOf(db)).toEqual(before);
    },
  );

  test("of another workspace than the call's are refused beside it, by one who may in both", async () => {
    const own = await things();
    const { owner } = own;
    const other = await things();
    ok(await as(other.owner).get(`/workspaces/${other.workspacePublicId}`));
    await make.member(other.workspace, "admin", owner);
    const { cardPublicId, listPublicId } = own;
    const asked: [...Asked, "NOT_FOUND" | "FORBIDDEN"][] = [
      ["PUT", `/cards/${cardPublicId}`, { listPublicId: other.listPublicId }, "FORBIDDEN"],
      ["PUT", `/cards/${cardPublicId}`, { listPublicId: nameless.listPublicId }, "NOT_FOUND"],
      ["PUT", `/cards/${cardPublicId}/labels/${other.labelPublicId}`, {}, "NOT_FOUND"],
      ["PUT", `/cards/${cardPublicId}/members/${other.memberPublicId}`, {}, "NOT_FOUND"],
      ["PUT", `/cards/${cardPublicId}/comments/${other.commentPublicId}`, { comment: "New" }, "NOT_FOUND"],
      ["PUT", `/boards/${own.boardPublicId}/tags/${other.tagPublicId}`, {}, "NOT_FOUND"],
      ["DELETE", `/boards/${own.boardPublicId}/members/${other.memberPublicId}`, undefined, "NOT_FOUND"],
      ["DELETE", `/workspaces/${own.workspacePublicId}/tags/${other.tagPublicId}`, undefined, "NOT_FOUND"],
      ["POST", "/cards", { title: "New", listPublicId, labelPublicIds: [other.labelPublicId] }, "FORBIDDEN"],
      ["POST", "/cards", { title: "New", listPublicId, memberPublicIds: [other.memberPublicId] }, "FORBIDDEN"],
      ["POST", `/cards/${cardPublicId}/duplicate`, { listPublicId: other.listPublicId }, "FORBIDDEN"],
      [
        "POST",
        `/cards/${cardPublicId}/comments`,
        { comment: "New", parentCommentPublicId: other.commentPublicId },
        "FORBIDDEN",
      ],
      ["POST", "/cards/bulk/move", { cardPublicIds: [cardPublicId], listPublicId: other.listPublicId }, "FORBIDDEN"],
      ["POST", "/cards/bulk/move", { cardPublicIds: [cardPublicId, other.cardPublicId], listPublicId }, "FORBIDDEN"],
      ["POST", "/cards/bulk/archive", { cardPublicIds: [other.cardPublicId, cardPublicId] }, "FORBIDDEN"],
      ["POST", `/boards/${own.boardPublicId}/members`, { memberPublicId: other.memberPublicId }, "FORBIDDEN"],
    ];
    const before = await contentsOf(db);
    const wrong: Record<string, string> = {};
    for (const [method, path, body, code] of asked) {
      const res = await as(owner).call(method)(path, body);
      if (res.body.code !== code) wrong[`${method} ${path} ${JSON.stringify(body)}`] = res.text;
    }
    expect(wrong).toEqual({});
    expect(await contentsOf(db)).toEqual(before);
  });
});
