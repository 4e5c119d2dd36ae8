// What a change of one's own shows before the service has answered, and what is sent of it.

import { expect, test, vi } from "vitest";
import { followBoard } from "../../packages/client/src/board/index.js";
import { createClient } from "../../packages/client/src/client.js";
import { ok, testApp } from "../helpers/app.js";
import { openedBoards } from "../helpers/followed.js";

const { as, make, listening } = await testApp();
const url = await listening();
const opened = openedBoards();

/** A live board with a card that has a label and a member. */
async function scene() {
  const { board, list, owner } = await make.list();
  const { card } = await make.card({ list });
  const { label } = await make.label({ board });
  const member = await make.member(board, "member");
  ok(await as(owner).put(`/cards/${card.publicId}/labels/${label.publicId}`));
  ok(await as(owner).put(`/cards/${card.publicId}/members/${member.memberPublicId}`));
  const replica = followBoard(createClient({ url, token: owner.token }), board.publicId);
  opened.push(replica);
  replica.subscribe(() => {});
  await vi.waitFor(() => expect(replica.state().status).toBe("live"), { timeout: 5000 });
  const shown = () => replica.state().board?.cards[card.publicId];
  const { publicId: cardPublicId } = card;
  const { publicId: labelPublicId } = label;
  return { board, list, owner, replica, shown, cardPublicId, labelPublicId, member };
}

test("a label or a person that is to be on a card stays on one that has it", async () => {
  const { replica, owner, shown, cardPublicId, labelPublicId, member } = await scene();
  const { memberPublicId } = member;
  await Promise.all([
    replica.change("card.toggleLabel", { cardPublicId, labelPublicId, on: true }),
    replica.change("card.toggleMember", { cardPublicId, memberPublicId, on: true }),
  ]);
  const there = { labels: [{ publicId: labelPublicId }], members: [{ publicId: memberPublicId }] };
  expect(shown()).toMatchObject({ labelIds: [labelPublicId], members: there.members });
  expect(ok(await as(owner).get(`/cards/${cardPublicId}`))).toMatchObject(there);
});
