// A change shows at once what the service makes of it: the board before the answer equals the board that is read after it.

import { expect, test } from "vitest";
import { type ChangePath, followBoard, type InputOf } from "../../packages/client/src/board/index.js";
import { type BoardState, opened } from "../../packages/client/src/board/state.js";
import type { CommentPage, WholeCard } from "../../packages/client/src/board/things.js";
import { createClient } from "../../packages/client/src/client.js";
import { compared, readBoard } from "../events/replay/snapshots.js";
import { ok, testApp } from "../helpers/app.js";
import { openedBoards, until } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const boards = openedBoards();

/** A live board with four cards. The first one is open, and has a checklist and comments; the second one is completed. */
async function scene() {
  const { board, list, owner } = await make.list();
  const { list: other } = await make.list({ board });
  const { list: elsewhere } = await make.list({ board: (await make.board({ workspace: board.workspace })).board });
  const { label } = await make.label({ board });
  const member = await make.member(board, "member");
  const { card: first } = await make.card({ list, title: "A" });
  const { card: second } = await make.card({ list, title: "B" });
  const cards = [first, second, (await make.card({ list, title: "C" })).card, (await make.card({ list })).card];
  const { checklist } = await make.checklist({ card: first });
  const items = [await make.item({ checklist }), await make.item({ checklist }), await make.item({ checklist })];
  const { comment } = await make.comment({ card: first });
  const { comment: reply } = await make.comment({ card: first, parentCommentPublicId: comment.publicId });
  const api = as(owner);
  ok(await api.put(`/cards/${second.publicId}`, { completed: true, dueDate: "2026-12-24", description: "Text" }));
  ok(await api.put(`/cards/${second.publicId}/labels/${label.publicId}`));
  ok(await api.put(`/cards/${second.publicId}/members/${member.memberPublicId}`));
  const [itemId = "", middleId = "", lastId = ""] = items.map(({ item }) => item.publicId);
  ok(await api.put(`/checklist-items/${middleId}`, { completed: true }));

  const replica = followBoard(createClient({ url, token: owner.token }), board.publicId);
  boards.push(replica);
  replica.subscribe(() => {});
  await until(() => replica.state().status === "live");
  replica.openCard(first.publicId);
  const shown = () => replica.state().board?.cards[first.publicId];
  await until(() => shown()?.details != null);
  return {
    replica,
    boardPublicId: board.publicId,
    listPublicId: list.publicId,
    otherId: other.publicId,
    elsewhereId: elsewhere.publicId,
    ids: cards.map(({ publicId }) => publicId),
    cardPublicId: first.publicId,
    secondId: second.publicId,
    labelPublicId: label.publicId,
    memberPublicId: member.memberPublicId,
    checklistPublicId: checklist.publicId,
    itemPublicId: itemId,
    middleId,
    lastId,
    commentPublicId: comment.publicId,
    replyId: reply.publicId,
    /** Archives the open card, and waits until that is shown. */
    async archive() {
      ok(await api.post(`/cards/${first.publicId}/archive`));
      await until(() => shown()?.isGone === true);
    },
    /** The board and its open card as the service has them. */
    async stored() {
      const now = await readBoard(api, board.publicId);
      const card = await api.get<WholeCard>(`/cards/${first.publicId}`);
      if (card.status === 404) return now;
      const comments = ok(await api.get<CommentPage>(`/cards/${first.publicId}/comments`));
      return opened(now, ok(card), { items: comments.items, nextCursor: null });
    },
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** The inputs of each change that a replica shows at once. */
const INPUTS: { [Path in ChangePath]: ((s: Scene) => InputOf<Path> | Promise<InputOf<Path>>)[] } = {
  "card.create": [
    ({ listPublicId }) => ({ listPublicId, title: "New" }),
    ({ listPublicId, labelPublicId, memberPublicId }) => ({
      listPublicId,
      title: "  New ",
      description: " Text ",
      index: 1,
      priority: "high",
      dueDate: "2026-12-24T10:00:00+02:00",
      labelPublicIds: [labelPublicId],
      memberPublicIds: [memberPublicId],
    }),
    ({ listPublicId }) => ({ listPublicId, title: "New", dueDate: "2026-12-24", index: 99 }),
  ],
  "card.update": [
    ({ cardPublicId }) => ({ cardPublicId, title: " Renamed ", description: " Text ", completed: true }),
    ({ secondId }) => ({ cardPublicId: secondId, completed: false, dueDate: "2026-12-24T00:00:00Z" }),
    ({ secondId }) => ({ cardPublicId: secondId, dueDate: null, priority: "low", completed: true }),
    ({ cardPublicId }) => ({ cardPublicId, index: 2 }),
    ({ cardPublicId, otherId }) => ({ cardPublicId, listPublicId: otherId }),
    ({ cardPublicId, listPublicId }) => ({ cardPublicId, listPublicId, index: 99 }),
    ({ secondId, elsewhereId }) => ({ cardPublicId: secondId, listPublicId: elsewhereId }),
  ],
  "card.delete": [({ secondId }) => ({ cardPublicId: secondId })],
  "card.archive": [({ cardPublicId }) => ({ cardPublicId }), ({ secondId }) => ({ cardPublicId: secondId })],
  "card.unarchive": [
    async ({ cardPublicId, archive }) => {
      await archive();
      return { cardPublicId };
    },
    ({ cardPublicId }) => ({ cardPublicId }),
  ],
  "card.duplicate": [
    ({ secondId }) => ({ cardPublicId: secondId }),
    ({ cardPublicId, otherId }) => ({ cardPublicId, listPublicId: otherId, title: " Copy " }),
    ({ cardPublicId, elsewhereId }) => ({ cardPublicId, listPublicId: elsewhereId }),
  ],
  "card.toggleLabel": [
    ({ cardPublicId, labelPublicId }) => ({ cardPublicId, labelPublicId }),
    ({ secondId, labelPublicId }) => ({ cardPublicId: secondId, labelPublicId }),
    ({ secondId, labelPublicId }) => ({ cardPublicId: secondId, labelPublicId, on: true }),
  ],
  "card.toggleMember": [
    ({ cardPublicId, memberPublicId }) => ({ cardPublicId, memberPublicId }),
    ({ secondId, memberPublicId }) => ({ cardPublicId: secondId, memberPublicId }),
    ({ cardPublicId, memberPublicId }) => ({ cardPublicId, memberPublicId, on: false }),
  ],
  "card.bulk.move": [
    ({ ids: [first = "", , , last = ""], listPublicId }) => ({ cardPublicIds: [last, first], listPublicId }),
    ({ ids, otherId }) => ({ cardPublicIds: ids.slice(1), listPublicId: otherId, index: 0 }),
    ({ ids, elsewhereId }) => ({ cardPublicIds: ids.slice(1), listPublicId: elsewhereId }),
  ],
  "card.bulk.update": [
    ({ ids, labelPublicId, memberPublicId }) => ({
      cardPublicIds: ids,
      completed: true,
      priority: "low",
      dueDate: "2026-12-24",
      addLabelPublicIds: [labelPublicId],
      addMemberPublicIds: [memberPublicId],
    }),
    ({ ids, labelPublicId, memberPublicId }) => ({
      cardPublicIds: ids,
      completed: false,
      removeLabelPublicIds: [labelPublicId],
      removeMemberPublicIds: [memberPublicId],
    }),
  ],
  "card.bulk.archive": [({ ids }) => ({ cardPublicIds: ids })],
  "card.bulk.delete": [({ ids }) => ({ cardPublicIds: ids.slice(1) })],
  "card.checklists.create": [({ cardPublicId }) => ({ cardPublicId, name: " Second " })],
  "card.checklists.update": [({ checklistPublicId }) => ({ checklistPublicId, name: " Renamed " })],
  "card.checklists.delete": [({ checklistPublicId }) => ({ checklistPublicId })],
  "card.checklists.addItem": [({ checklistPublicId }) => ({ checklistPublicId, title: " Four " })],
  "card.checklists.updateItem": [
    ({ itemPublicId }) => ({ itemPublicId, title: " One ", completed: true, index: 1 }),
    ({ lastId }) => ({ itemPublicId: lastId, index: 0 }),
    ({ middleId }) => ({ itemPublicId: middleId, completed: false, index: 99 }),
  ],
  "card.checklists.deleteItem": [
    ({ itemPublicId }) => ({ itemPublicId }),
    ({ middleId }) => ({ itemPublicId: middleId }),
  ],
  "card.comments.create": [
    ({ cardPublicId }) => ({ cardPublicId, comment: " New " }),
    ({ cardPublicId, commentPublicId }) => ({ cardPublicId, comment: "New", parentCommentPublicId: commentPublicId }),
    ({ cardPublicId, replyId }) => ({ cardPublicId, comment: "New", parentCommentPublicId: replyId }),
  ],
  "card.comments.update": [
    ({ cardPublicId, commentPublicId }) => ({ cardPublicId, commentPublicId, comment: " Other " }),
  ],
  "card.comments.delete": [({ cardPublicId, commentPublicId }) => ({ cardPublicId, commentPublicId })],
  "board.lists.create": [({ boardPublicId }) => ({ boardPublicId, name: " New " })],
  "board.lists.update": [
    ({ listPublicId }) => ({ listPublicId, name: " Renamed ", index: 1 }),
    ({ otherId }) => ({ listPublicId: otherId, index: 0 }),
  ],
  "board.lists.delete": [({ listPublicId }) => ({ listPublicId })],
  "board.labels.create": [({ boardPublicId }) => ({ boardPublicId, name: " New ", colourCode: "#1f6feb" })],
  "board.labels.update": [({ labelPublicId }) => ({ labelPublicId, name: " Renamed ", colourCode: "#cf222e" })],
  "board.labels.delete": [({ labelPublicId }) => ({ labelPublicId })],
  "board.update": [
    ({ boardPublicId }) => ({ boardPublicId, name: " Renamed ", visibility: "private" }),
    ({ boardPublicId }) => ({ boardPublicId, isFavourite: true }),
  ],
};

const idsIn = (board: BoardState) =>
  [...JSON.stringify(board).matchAll(/"publicId":"([^"]+)"/g)].map(([, publicId = ""]) => publicId);

/** Everything that the replica can know of a board: without numbers of cards, and times in place of one another. */
function known(board: BoardState): unknown {
  const cards = Object.entries(board.cards).filter(([, { isGone, details }]) => !isGone || details !== null);
  const text = JSON.stringify({
    favourite: board.isFavourite,
    ...compared({ ...board, cards: Object.fromEntries(cards) }),
  });
  return JSON.parse(text, (name, value) => {
    if (name === "cardNumber" || name === "isWaiting") return undefined;
    return name.endsWith("At") && value !== null ? "some time" : value;
  });
}

const rows = Object.entries(INPUTS).flatMap(([path, inputs]) =>
  inputs.map((inputOf, at) => [`${path} ${at}`, path as ChangePath, inputOf] as const),
);

test.concurrent.each(rows)("%s shows before the answer what is read after it", async (_name, path, inputOf) => {
  const one = await scene();
  const { replica, stored } = one;
  const input = await inputOf(one);
  const before = replica.state().board;

  const answer = replica.change(path, input as never);
  const shown = replica.state().board;
  const { publicId }: { publicId?: string } = Object(await answer);

  if (before === null || shown === null) throw new Error("The board was not read");
  // What was created has the key of the change in place of its identifier.
  const [key = "", ...others] = new Set(idsIn(shown).filter((id) => !idsIn(before).includes(id)));
  expect(others).toEqual([]);
  const named = JSON.stringify(shown).replaceAll(`"${key}"`, JSON.stringify(publicId ?? ""));
  expect(known(key === "" ? shown : JSON.parse(named))).toEqual(known(await stored()));
});
