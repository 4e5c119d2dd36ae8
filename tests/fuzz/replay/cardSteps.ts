// The steps of a replay that act on cards and what hangs on them, by the procedure that each of them calls.

import type { BoardState, CardState } from "../../../packages/client/src/board/state.js";
import {
  aCard,
  aList,
  type Call,
  type Choice,
  idsOf,
  membersOf,
  pick,
  type Scene,
  type Step,
  some,
  someCards,
} from "./scene.js";

const PRIORITIES = ["low", "medium", "high", "urgent", "none"];
const DATES = ["2027-01-31T12:00:00.000Z", "2027-01-31", "2027-01-31T00:00:00.000Z", null];

const onCard =
  (
    method: Call["method"],
    end: string,
    bodyOf: (choice: Choice, found: { board: BoardState; card: CardState }) => object | undefined = () => undefined,
  ): Step =>
  (scene, choice) => {
    const found = aCard(scene, choice.turns[0]);
    if (found === undefined) return null;
    const body = bodyOf(choice, found);
    return { method, path: `/cards/${found.card.publicId}${end}`, ...(body !== undefined && { body }) };
  };

const fieldsOf = ({ turns, flag, word }: Choice) => ({
  ...(flag && { title: word, description: `${word} ${turns[1]}` }),
  priority: pick(PRIORITIES, turns[1]),
  ...(turns[2] % 2 === 0 && { dueDate: pick(DATES, turns[3]) }),
});

const updateCard: Step = (scene, choice) => {
  const { turns, index, flag } = choice;
  const found = aCard(scene, turns[0]);
  const target = aList(scene, turns.slice(1));
  if (found === undefined) return null;
  const listPublicId = turns[2] % 2 === 0 ? target?.list.publicId : undefined;
  const edits = turns[3] % 2 === 0 ? { ...fieldsOf(choice), completed: flag } : {};
  return { method: "PUT", path: `/cards/${found.card.publicId}`, body: { ...edits, index, listPublicId } };
};

const toggleLabel: Step = (scene, { turns }) => {
  const found = aCard(scene, turns[0]);
  const label = pick(found?.board.labels ?? [], turns[1]);
  if (found === undefined || label === undefined) return null;
  return { method: "PUT", path: `/cards/${found.card.publicId}/labels/${label.publicId}` };
};

const toggleMember: Step = async (scene, { turns }): Promise<Call | null> => {
  const [found, member] = [aCard(scene, turns[0]), pick(await membersOf(scene), turns[1])];
  if (found === undefined || member === undefined) return null;
  return { method: "PUT", path: `/cards/${found.card.publicId}/members/${member.publicId}` };
};

const createCard: Step = async (scene, choice): Promise<Call | null> => {
  const { turns, index, flag, word } = choice;
  const found = aList(scene, turns);
  if (found === undefined) return null;
  const { board, list } = found;
  const member = pick(await membersOf(scene), turns[3]);
  const body = {
    ...fieldsOf(choice),
    title: word,
    listPublicId: list.publicId,
    labelPublicIds: idsOf(some(board.labels, turns.slice(1, 3))),
    memberPublicIds: flag && member !== undefined ? [member.publicId] : [],
    index,
  };
  return { method: "POST", path: "/cards", body };
};

const cardSteps: Record<string, Step> = {
  "card.create": createCard,
  "card.update": updateCard,
  "card.delete": onCard("DELETE", ""),
  "card.archive": onCard("POST", "/archive"),
  "card.unarchive": (scene, { turns }) => {
    const archived = scene.boards
      .flatMap(({ cards }) => Object.values(cards))
      .filter(({ details }) => details !== null && details.archivedAt !== null);
    const card = pick(archived, turns[0]);
    return card === undefined ? null : { method: "POST", path: `/cards/${card.publicId}/unarchive` };
  },
  "card.duplicate": (scene, choice) => {
    const target = choice.flag ? aList(scene, choice.turns.slice(1))?.list.publicId : undefined;
    return onCard("POST", "/duplicate", ({ word }) => ({ title: word, listPublicId: target }))(scene, choice);
  },
  "card.toggleLabel": toggleLabel,
  "card.toggleMember": toggleMember,
};

const bulkSteps: Record<string, Step> = {
  "card.bulk.move": (scene, { turns, index }) => {
    const [cards, target] = [someCards(scene, turns), aList(scene, turns.slice(2))];
    const open = cards.filter(({ details }) => details?.archivedAt === null);
    if (open.length === 0 || target === undefined) return null;
    const body = { cardPublicIds: idsOf(open), listPublicId: target.list.publicId, index };
    return { method: "POST", path: "/cards/bulk/move", body };
  },
  "card.bulk.update": async (scene, { turns, flag }): Promise<Call | null> => {
    const board = pick(scene.boards, turns[0]);
    const cards = board === undefined ? [] : someCards(scene, turns, board);
    if (board === undefined || cards.length === 0) return null;
    const members = await membersOf(scene);
    const body = {
      cardPublicIds: idsOf(cards),
      priority: pick(PRIORITIES, turns[1]),
      dueDate: pick(DATES, turns[2]),
      completed: flag,
      addLabelPublicIds: idsOf(some(board.labels, turns.slice(1, 2))),
      removeLabelPublicIds: idsOf(some(board.labels, turns.slice(2, 3))),
      addMemberPublicIds: flag ? idsOf(some(members, turns.slice(1, 2))) : [],
      removeMemberPublicIds: idsOf(some(members, turns.slice(3))),
    };
    return { method: "POST", path: "/cards/bulk/update", body };
  },
  "card.bulk.archive": (scene, { turns }) => onMany(scene, "archive", turns.slice(0, 3)),
  "card.bulk.delete": (scene, { turns }) => onMany(scene, "delete", turns.slice(0, 2)),
};

function onMany(scene: Scene, verb: string, turns: readonly number[]): Call | null {
  const cards = someCards(scene, turns);
  if (cards.length === 0) return null;
  return { method: "POST", path: `/cards/bulk/${verb}`, body: { cardPublicIds: idsOf(cards) } };
}

const aChecklist = (scene: Scene, { turns }: Choice) =>
  pick(
    scene.boards.flatMap(({ cards }) => Object.values(cards)).flatMap(({ details }) => details?.checklists ?? []),
    turns[0],
  );

const anItem = (scene: Scene, { turns }: Choice) =>
  pick(
    scene.boards
      .flatMap(({ cards }) => Object.values(cards))
      .flatMap(({ details }) => (details?.checklists ?? []).flatMap(({ items }) => items)),
    turns[0],
  );

const checklistSteps: Record<string, Step> = {
  "card.checklists.create": onCard("POST", "/checklists", ({ word }) => ({ name: word })),
  "card.checklists.update": (scene, choice) => {
    const found = aChecklist(scene, choice);
    const body = { name: choice.word };
    return found === undefined ? null : { method: "PUT", path: `/checklists/${found.publicId}`, body };
  },
  "card.checklists.delete": (scene, choice) => {
    const found = aChecklist(scene, choice);
    return found === undefined ? null : { method: "DELETE", path: `/checklists/${found.publicId}` };
  },
  "card.checklists.addItem": (scene, choice) => {
    const found = aChecklist(scene, choice);
    const body = { title: choice.word };
    return found === undefined ? null : { method: "POST", path: `/checklists/${found.publicId}/items`, body };
  },
  "card.checklists.updateItem": (scene, choice) => {
    const item = anItem(scene, choice);
    const { turns, index, flag, word } = choice;
    const body = { ...(turns[1] % 2 === 0 && { title: word }), ...(turns[2] % 2 === 0 && { completed: flag }), index };
    return item === undefined ? null : { method: "PUT", path: `/checklist-items/${item.publicId}`, body };
  },
  "card.checklists.deleteItem": (scene, choice) => {
    const item = anItem(scene, choice);
    return item === undefined ? null : { method: "DELETE", path: `/checklist-items/${item.publicId}` };
  },
};

/** Where a comment of some card is. */
function aComment({ boards, followed }: Scene, { turns }: Choice): string | undefined {
  const cardPublicIds = boards.flatMap(({ cards }) => Object.keys(cards));
  const paths = cardPublicIds.flatMap((cardPublicId) =>
    (followed.comments.get(cardPublicId) ?? []).map(({ publicId }) => `/cards/${cardPublicId}/comments/${publicId}`),
  );
  return pick(paths, turns[0]);
}

const commentSteps: Record<string, Step> = {
  "card.comments.create": (scene, choice) => {
    const { turns, flag, word } = choice;
    const found = aCard(scene, turns[0]);
    const replied = pick(scene.followed.comments.get(found?.card.publicId ?? "") ?? [], turns[1])?.publicId;
    const by = turns[2] % 3 === 0 ? scene.app.as(scene.guest) : scene.admin;
    const body = { comment: word, ...(flag && { parentCommentPublicId: replied }) };
    return found === undefined ? null : { method: "POST", path: `/cards/${found.card.publicId}/comments`, body, by };
  },
  "card.comments.update": (scene, choice) => {
    const path = aComment(scene, choice);
    return path === undefined ? null : { method: "PUT", path, body: { comment: choice.word } };
  },
  "card.comments.delete": (scene, choice) => {
    const path = aComment(scene, choice);
    return path === undefined ? null : { method: "DELETE", path };
  },
};

export const CARD_STEPS = { ...cardSteps, ...bulkSteps, ...checklistSteps, ...commentSteps };
