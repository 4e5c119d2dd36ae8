// The questions before other people see more, or lose what they see now: they name people, and count people and cards.

import type { BoardState } from "work-board-client/board";
import { assignable } from "../board/queries.js";
import { client } from "../client.js";
import type { Question } from "../parts/confirm.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { members, type Role } from "./queries.js";

/** So many people are named; the others are counted. */
const NAMED = 12;

type Asked = Omit<Question, "run">;

/** Everybody who sees a board at this moment. */
const viewersOf = (boardPublicId: string) => queryClient.fetchQuery({ ...assignable(boardPublicId), staleTime: 0 });

/** Before a board becomes private: the people who lose it, and the number of cards that lose them. */
export async function privateQuestion({ publicId, name, visibility, members, cards, me }: BoardState): Promise<Asked> {
  const text = texts.share.visibility.questions;
  const stay = new Set(members.map((one) => one.publicId));
  // Admins see every board.
  const losing = (await viewersOf(publicId)).filter((one) => one.role !== "admin" && !stay.has(one.publicId));
  const ids = new Set(losing.map((one) => one.publicId));
  const lost = Object.values(cards).filter((card) => !card.isGone && card.members.some((one) => ids.has(one.publicId)));
  const names = losing.map((one) => (one.publicId === me.memberPublicId ? texts.card.youAre(one.name) : one.name));
  return {
    text: text.private(name),
    details: [
      text.lose(names.slice(0, NAMED), names.length),
      ...(visibility === "public" ? [text.noLongerPublic] : []),
      ...(losing.length > 0 ? [text.loseCards(lost.length)] : []),
    ],
    action: text.makePrivate,
  };
}

/** Before a board becomes public: the cards that everybody can read then, and the number of people who see them now. */
export async function publicQuestion({ publicId, name, lists }: BoardState): Promise<Asked> {
  const text = texts.share.visibility.questions;
  const viewers = await viewersOf(publicId);
  const count = lists.reduce((sum, { cardIds }) => sum + cardIds.length, 0);
  return {
    text: text.public(name),
    details: [text.readable(count), text.viewers(viewers.length)],
    action: text.makePublic,
  };
}

/** Before somebody becomes an admin, or is none any longer: the people and the cards that this concerns. */
export async function adminQuestion(workspacePublicId: string, name: string, wanted: Role): Promise<Asked> {
  const text = texts.share.roleQuestions;
  const [people, boards] = await Promise.all([
    queryClient.fetchQuery({ ...members(workspacePublicId), staleTime: 0 }),
    client.board.list.query({ workspacePublicId }),
  ]);
  const touched = wanted === "admin" ? boards : boards.filter(({ visibility }) => visibility === "private");
  const cards = touched.reduce((sum, { openCards }) => sum + openCards, 0);
  const manages = people.filter(({ status }) => status === "active").length;
  return {
    text: text.heading(name, texts.roles[wanted]),
    details:
      wanted === "admin" ? text.promoted(touched.length, cards, manages) : text.demoted(touched.length, cards, manages),
    action: text.action(texts.roles[wanted]),
  };
}
