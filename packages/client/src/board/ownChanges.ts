// The effect of the caller's own changes on a board before the service has answered: each draws the events that it will write.

import type { AppRouter, RouterInputs, RouterOutputs } from "../client.js";
import { applyEvent } from "./applyEvent.js";
import { NO_PARTS } from "./cardParts.js";
import { type BoardState, type ListState, withCard, withFields } from "./state.js";
import type { Event, EventOf, EventType, LoggedCard } from "./things.js";

type At<Tree, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Tree
    ? At<Tree[Head], Rest>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never;

/** The input and the result of a change, by the path of its procedure. */
export type InputOf<Path extends string> = At<RouterInputs, Path>;
export type OutputOf<Path extends string> = At<RouterOutputs, Path>;

/** The values that a drawing uses beside the input of the change. */
export interface Drawn {
  /** The identifier of what the change creates: the key of the change until the service has named it. */
  id: string;
  /** When the change was made, as ISO 8601. */
  at: string;
  /** The place among the siblings, if the input has an index. */
  index: number;
  /** The account that makes the change. */
  me: { publicId: string; name: string; image: string | null };
  /** People whom the input names and who need not be members of the board. */
  people?: readonly AssignedPerson[] | undefined;
}

/** A member of the workspace as cards show the person. */
export type AssignedPerson = Pick<BoardState["members"][number], "publicId" | "name" | "image">;

/** The paths of the mutations below a router. */
type Mutations<Tree> = {
  [Name in keyof Tree & string]: Tree[Name] extends { _def: { type: infer Type } }
    ? Type extends "mutation"
      ? Name
      : never
    : `${Name}.${Mutations<Tree[Name]>}`;
}[keyof Tree & string];

type Routers = AppRouter["_def"]["record"];
type BoardMutation = Mutations<Pick<Routers, "board" | "card">>;

/** The mutations of boards that are shown once the service has answered, each with the reason. */
const NOT_SHOWN = {
  "board.create": "makes another board",
  "board.duplicate": "makes another board",
  "board.delete": "ends the board, which its stream reports",
  "board.opened": "changes the home page alone",
  "board.archive": "decides what every user may do, so the service comes first",
  "board.unarchive": "decides what every user may do, so the service comes first",
  "board.members.add": "needs the names and roles of the workspace's members",
  "board.members.invite": "the service finds or creates the person",
  "board.members.remove": "takes the person off cards of the board by rules of access",
  "board.toggleTag": "needs the tags of the workspace",
} as const satisfies { [Path in BoardMutation]?: string };

/** The changes that are shown at once. */
export type ChangePath = Exclude<BoardMutation, keyof typeof NOT_SHOWN>;

type Draw<Path extends string> = (board: BoardState, input: InputOf<Path>, drawn: Drawn) => BoardState;

/** An event as far as `applyEvent` reads it. */
const eventOf = <Type extends EventType>(
  type: Type,
  createdAt: string,
  cardPublicId: string | null,
  data: EventOf<Type>["data"],
) => ({ type, createdAt, boardPublicId: null, cardPublicId, data }) as unknown as Event;

/** Applies an event that a change will write. Its card waits for the service. */
function draw<Type extends EventType>(
  board: BoardState,
  { at }: Drawn,
  type: Type,
  cardPublicId: string | null,
  data: EventOf<Type>["data"],
): BoardState {
  const next = applyEvent(board, eventOf(type, at, cardPublicId, data));
  const card = next.cards[cardPublicId ?? ""];
  return card === undefined || card.isWaiting ? next : withCard(next, { ...card, isWaiting: true });
}

/** A due date as the service will answer it: without a time it is a day. The service refuses one that cannot be read. */
function dueOn(value: string | null): Pick<LoggedCard, "dueDate" | "dueHasTime"> {
  if (value === null) return { dueDate: null, dueHasTime: false };
  const ms = Date.parse(value);
  return { dueDate: Number.isNaN(ms) ? value : new Date(ms).toISOString(), dueHasTime: value.includes("T") };
}

const listOf = (board: BoardState, cardPublicId: string) =>
  board.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));

/** The end of a list, for a card that may be on it. */
const endOf = (board: BoardState, listPublicId: string, cardPublicId: string): number =>
  (board.lists.find(({ publicId }) => publicId === listPublicId)?.cardIds ?? []).filter((id) => id !== cardPublicId)
    .length;

/** The card that has a checklist, and the checklist: found by its identifier or by that of an item. */
function checklistWith(board: BoardState, publicId: string) {
  for (const card of Object.values(board.cards)) {
    for (const checklist of card.details?.checklists ?? []) {
      const item = checklist.items.find((one) => one.publicId === publicId);
      if (checklist.publicId === publicId || item !== undefined) return { card, checklist, item };
    }
  }
  return null;
}

/** The card that a change is about, or the first of several; undefined if it is about something else. */
export function cardOf(board: BoardState, input: object): BoardState["cards"][string] | undefined {
  const { cardPublicId, cardPublicIds, checklistPublicId, itemPublicId } = input as {
    cardPublicId?: string;
    cardPublicIds?: readonly string[];
    checklistPublicId?: string;
    itemPublicId?: string;
  };
  const publicId = cardPublicId ?? cardPublicIds?.[0];
  return publicId === undefined
    ? checklistWith(board, itemPublicId ?? checklistPublicId ?? "")?.card
    : board.cards[publicId];
}

/** The values of an input that differ from those of a thing, as events have them. */
function changesTo(thing: object, wanted: object): object | undefined {
  const changes = Object.entries(wanted).flatMap(([name, to]) => {
    const from: unknown = Reflect.get(thing, name);
    return to === undefined || to === from ? [] : [[name, { from, to }]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** Edits fields of a card, and completes or reopens it. */
function edited(
  board: BoardState,
  cardPublicId: string,
  { completed, dueDate, ...fields }: { completed?: boolean | undefined; dueDate?: string | null | undefined },
  drawn: Drawn,
): BoardState {
  const card = board.cards[cardPublicId];
  if (card === undefined) return board;
  const wanted = { ...fields, ...(dueDate !== undefined && dueOn(dueDate)) };
  const changes = changesTo(card, wanted);
  const after = changes === undefined ? board : draw(board, drawn, "card.updated", cardPublicId, { changes });
  if (completed === undefined || completed === (card.completedAt !== null)) return after;
  const type = completed ? "card.completed" : "card.reopened";
  return draw(after, drawn, type, cardPublicId, { from: card.completedAt, to: completed ? drawn.at : null });
}

/** Moves a card; one that goes to a list of another board leaves. */
function moved(board: BoardState, cardPublicId: string, listPublicId: string, index: number, drawn: Drawn): BoardState {
  const isHere = board.lists.some(({ publicId }) => publicId === listPublicId);
  if (!isHere) return draw(board, drawn, "card.moved", null, { cardPublicId });
  return board.cards[cardPublicId]?.isGone === false
    ? draw(board, drawn, "card.moved", cardPublicId, { to: { listPublicId, index } })
    : board;
}

function labelled(board: BoardState, cardPublicId: string, labelPublicId: string, isOn: boolean, drawn: Drawn) {
  return draw(board, drawn, isOn ? "card.label.added" : "card.label.removed", cardPublicId, { labelPublicId });
}

/** The people of a board whom a change may assign. */
const assignable = (board: BoardState, { people = [] }: Drawn): AssignedPerson[] =>
  [...board.members, ...people].map(({ publicId, name, image }) => ({ publicId, name, image }));

function assigned(board: BoardState, cardPublicId: string, memberPublicId: string, isOn: boolean, drawn: Drawn) {
  if (!isOn) return draw(board, drawn, "card.member.removed", cardPublicId, { memberPublicId });
  const member = assignable(board, drawn).find(({ publicId }) => publicId === memberPublicId);
  return draw(board, drawn, "card.member.added", cardPublicId, { memberPublicId, ...(member && { member }) });
}

/** Archives a card. It stays known as gone, so that unarchiving it is drawn before either is answered. */
function archived(board: BoardState, cardPublicId: string, drawn: Drawn): BoardState {
  const from = { listPublicId: listOf(board, cardPublicId)?.publicId ?? null };
  const card = board.cards[cardPublicId];
  if (from.listPublicId === null || card === undefined) return board;
  const after = draw(board, drawn, "card.archived", cardPublicId, { from });
  return card.details === null ? withCard(after, { ...card, isGone: true, isWaiting: true }) : after;
}

const deleted = (board: BoardState, cardPublicId: string, drawn: Drawn): BoardState =>
  draw(board, drawn, "card.deleted", cardPublicId, { cardNumber: board.cards[cardPublicId]?.cardNumber ?? 0 });

/** Puts a new card on a list, unless the board has it already. */
function created(board: BoardState, fields: Partial<LoggedCard>, listPublicId: string, drawn: Drawn): BoardState {
  const { id, at, index } = drawn;
  if (board.cards[id] !== undefined) return board;
  const card: LoggedCard = {
    ...{ publicId: id, title: "", description: "", cardNumber: 0, index, ...dueOn(null), completedAt: null },
    ...{ priority: "none", labels: [], members: [], checklistItems: { total: 0, completed: 0 }, commentCount: 0 },
    ...{ archivedAt: null, createdAt: at, updatedAt: at, ...NO_PARTS },
    list: { publicId: listPublicId, name: "" },
    board: { publicId: board.publicId, name: board.name },
    workspace: { publicId: board.workspace.publicId, cardPrefix: board.workspace.cardPrefix },
    ...fields,
  };
  return draw(board, drawn, "card.created", id, { card, to: { listPublicId, index } });
}

/** The properties that have a value. */
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };

const labelsOf = (board: BoardState, ids: readonly string[]) =>
  board.labels.filter(({ publicId }) => ids.includes(publicId));

const onEach = (board: BoardState, ids: readonly string[], to: (board: BoardState, id: string) => BoardState) =>
  [...new Set(ids)].reduce(to, board);

/** Draws each change over a board, except for what the board already holds. */
const DRAWINGS: { [Path in ChangePath]: Draw<Path> } = {
  "card.create": (board, input, drawn) => {
    const { listPublicId, index, labelPublicIds = [], memberPublicIds, dueDate = null, ...given } = defined(input);
    const ids = new Set(memberPublicIds);
    const members = assignable(board, drawn).filter(({ publicId }) => ids.delete(publicId));
    const fields = { ...given, ...dueOn(dueDate), labels: labelsOf(board, labelPublicIds), members };
    const at = index === undefined ? endOf(board, listPublicId, drawn.id) : drawn.index;
    return created(board, fields, listPublicId, { ...drawn, index: at });
  },
  "card.update": (board, { cardPublicId, listPublicId, index, ...fields }, drawn) => {
    const after = edited(board, cardPublicId, fields, drawn);
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    if (target === undefined || (listPublicId === undefined && index === undefined)) return after;
    return moved(
      after,
      cardPublicId,
      target,
      index === undefined ? endOf(board, target, cardPublicId) : drawn.index,
      drawn,
    );
  },
  "card.delete": (board, { cardPublicId }, drawn) => deleted(board, cardPublicId, drawn),
  "card.archive": (board, { cardPublicId }, drawn) => archived(board, cardPublicId, drawn),
  "card.unarchive": (board, { cardPublicId }, drawn) => {
    const home = board.cards[cardPublicId]?.details?.listPublicId ?? board.lists[0]?.publicId;
    if (home === undefined || board.cards[cardPublicId]?.isGone !== true) return board;
    const to = { listPublicId: home, index: endOf(board, home, cardPublicId) };
    return draw(board, drawn, "card.unarchived", cardPublicId, { to });
  },
  "card.duplicate": (board, { cardPublicId, listPublicId, title }, drawn) => {
    const card = board.cards[cardPublicId];
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    if (card === undefined || !board.lists.some(({ publicId }) => publicId === target)) return board;
    const { key: _, labelIds, isWaiting: __, isGone: ___, details: ____, ...fields } = card;
    const copied = { ...fields, publicId: drawn.id, cardNumber: 0, commentCount: 0 };
    const rest = { title: title ?? card.title, labels: labelsOf(board, labelIds), members: [...card.members] };
    const index = endOf(board, target ?? "", drawn.id);
    return created(board, { ...copied, ...rest }, target ?? "", { ...drawn, index });
  },
  "card.toggleLabel": (board, { cardPublicId, labelPublicId, on = false }, drawn) =>
    labelled(board, cardPublicId, labelPublicId, on, drawn),
  "card.toggleMember": (board, { cardPublicId, memberPublicId, on = false }, drawn) =>
    assigned(board, cardPublicId, memberPublicId, on, drawn),
  "card.bulk.move": (board, { cardPublicIds, listPublicId, index }, drawn) => {
    const ids = new Set(cardPublicIds);
    const open = [...ids].filter((id) => board.cards[id]?.isGone === false);
    const target = board.lists.find(({ publicId }) => publicId === listPublicId);
    const others = (list?: ListState) => list?.cardIds.filter((id) => !ids.has(id)) ?? [];
    const at = index === undefined ? others(target).length : drawn.index;
    // All lists at once: each card is where it goes then.
    const lists = board.lists.map((list) => {
      const cardIds = list === target ? others(list).toSpliced(at, 0, ...open) : others(list);
      return list === target || cardIds.length < list.cardIds.length ? { ...list, cardIds } : list;
    });
    return open.reduce((state: BoardState, id, offset) => moved(state, id, listPublicId, at + offset, drawn), {
      ...board,
      lists,
    });
  },
  "card.bulk.update": (
    board,
    {
      cardPublicIds,
      addLabelPublicIds = [],
      removeLabelPublicIds = [],
      addMemberPublicIds = [],
      removeMemberPublicIds = [],
      ...fields
    },
    drawn,
  ) =>
    onEach(board, cardPublicIds, (before, id) => {
      let state = edited(before, id, fields, drawn);
      for (const label of addLabelPublicIds) state = labelled(state, id, label, true, drawn);
      for (const label of removeLabelPublicIds) state = labelled(state, id, label, false, drawn);
      for (const member of addMemberPublicIds) state = assigned(state, id, member, true, drawn);
      for (const member of removeMemberPublicIds) state = assigned(state, id, member, false, drawn);
      return state;
    }),
  "card.bulk.archive": (board, { cardPublicIds }, drawn) =>
    onEach(board, cardPublicIds, (state, id) => archived(state, id, drawn)),
  "card.bulk.delete": (board, { cardPublicIds }, drawn) =>
    onEach(board, cardPublicIds, (state, id) => deleted(state, id, drawn)),
  "card.checklists.create": (board, { cardPublicId, name }, drawn) => {
    const checklist = { publicId: drawn.id, name, items: [] };
    if (checklistWith(board, drawn.id) !== null) return board;
    return draw(board, drawn, "checklist.created", cardPublicId, { checklistPublicId: drawn.id, checklist });
  },
  "card.checklists.update": (board, { checklistPublicId, name }, drawn) => {
    const found = checklistWith(board, checklistPublicId);
    const changes = found && changesTo(found.checklist, { name });
    if (!found || !changes) return board;
    return draw(board, drawn, "checklist.updated", found.card.publicId, { checklistPublicId, changes });
  },
  "card.checklists.delete": (board, { checklistPublicId }, drawn) => {
    const found = checklistWith(board, checklistPublicId);
    if (found === null) return board;
    const { items } = found.checklist;
    const checklistItems = { total: items.length, completed: items.filter(({ completed }) => completed).length };
    return draw(board, drawn, "checklist.deleted", found.card.publicId, { checklistPublicId, checklistItems });
  },
  "card.checklists.addItem": (board, { checklistPublicId, title }, drawn) => {
    const found = checklistWith(board, checklistPublicId);
    if (found === null || checklistWith(board, drawn.id) !== null) return board;
    const item = { publicId: drawn.id, title, completed: false };
    const data = { checklistPublicId, itemPublicId: drawn.id, item };
    return draw(board, drawn, "checklist.item.created", found.card.publicId, data);
  },
  "card.checklists.updateItem": (board, { itemPublicId, title, completed, index }, drawn) => {
    const found = checklistWith(board, itemPublicId);
    if (!found?.item) return board;
    const { card, checklist, item } = found;
    const ids = { checklistPublicId: checklist.publicId, itemPublicId };
    const at = checklist.items.indexOf(item);
    const changes = changesTo({ ...item, index: at }, { title, ...(index !== undefined && { index: drawn.index }) });
    const after = changes ? draw(board, drawn, "checklist.item.updated", card.publicId, { ...ids, changes }) : board;
    if (completed === undefined || completed === item.completed) return after;
    return draw(after, drawn, completed ? "checklist.item.completed" : "checklist.item.reopened", card.publicId, ids);
  },
  "card.checklists.deleteItem": (board, { itemPublicId }, drawn) => {
    const found = checklistWith(board, itemPublicId);
    if (!found?.item) return board;
    const data = { checklistPublicId: found.checklist.publicId, itemPublicId, completed: found.item.completed };
    return draw(board, drawn, "checklist.item.deleted", found.card.publicId, data);
  },
  "card.comments.create": (board, { cardPublicId, comment: text, parentCommentPublicId: replied = null }, drawn) => {
    const { id, at, me } = drawn;
    if (commentOn(board, cardPublicId, id) !== undefined) return board;
    const author = { ...me, memberPublicId: board.me.memberPublicId };
    // A reply to a reply belongs where that one does.
    const parentCommentPublicId = commentOn(board, cardPublicId, replied ?? "")?.parentCommentPublicId ?? replied;
    const own = { publicId: id, comment: text, author, parentCommentPublicId };
    const comment = { ...own, importedFrom: null, createdAt: at, editedAt: null };
    return draw(board, drawn, "comment.created", cardPublicId, { commentPublicId: id, comment });
  },
  "card.comments.update": (board, { cardPublicId, commentPublicId, comment: to }, drawn) => {
    const from = commentOn(board, cardPublicId, commentPublicId)?.comment;
    if (from === undefined || from === to) return board;
    const data = { commentPublicId, changes: { comment: { from, to } }, editedAt: drawn.at };
    return draw(board, drawn, "comment.updated", cardPublicId, data);
  },
  "card.comments.delete": (board, { cardPublicId, commentPublicId }, drawn) =>
    commentOn(board, cardPublicId, commentPublicId) === undefined
      ? board
      : draw(board, drawn, "comment.deleted", cardPublicId, { commentPublicId }),
  "board.lists.create": (board, { name }, drawn) => {
    if (board.lists.some(({ publicId }) => publicId === drawn.id)) return board;
    const list = { publicId: drawn.id, name, index: board.lists.length };
    return draw(board, drawn, "list.created", null, { listPublicId: drawn.id, list });
  },
  "board.lists.update": (board, { listPublicId, name, index }, drawn) => {
    const at = board.lists.findIndex(({ publicId }) => publicId === listPublicId);
    const changes = changesTo(board.lists[at] ?? {}, { name });
    const after = changes ? draw(board, drawn, "list.updated", null, { listPublicId, changes }) : board;
    const [from, to] = [{ index: at }, { index: drawn.index }];
    return index === undefined ? after : draw(after, drawn, "list.moved", null, { listPublicId, from, to });
  },
  "board.lists.delete": (board, { listPublicId }, drawn) => {
    const list = board.lists.find(({ publicId }) => publicId === listPublicId);
    const empty = onEach(board, list?.cardIds ?? [], (state, id) => archived(state, id, drawn));
    return draw(empty, drawn, "list.deleted", null, { listPublicId });
  },
  "board.labels.create": (board, { name, colourCode }, drawn) => {
    const label = { publicId: drawn.id, name, colourCode };
    if (board.labels.some(({ publicId }) => publicId === drawn.id)) return board;
    return draw(board, drawn, "label.created", null, { labelPublicId: drawn.id, label });
  },
  "board.labels.update": (board, { labelPublicId, ...wanted }, drawn) => {
    const [label] = labelsOf(board, [labelPublicId]);
    const changes = label && changesTo(label, wanted);
    return changes ? draw(board, drawn, "label.updated", null, { labelPublicId, changes }) : board;
  },
  "board.labels.delete": (board, { labelPublicId }, drawn) =>
    draw(board, drawn, "label.deleted", null, { labelPublicId }),
  "board.update": (board, { boardPublicId: _, isFavourite = board.isFavourite, ...wanted }, drawn) => {
    const changes = changesTo(board, wanted);
    const after = changes ? draw(board, drawn, "board.updated", null, { changes }) : board;
    return withFields(after, { isFavourite });
  },
};

const commentOn = (board: BoardState, cardPublicId: string, publicId: string) =>
  board.cards[cardPublicId]?.details?.comments.find((one) => one.publicId === publicId);

/** An input with its names and titles as the service stores them. */
const trimmed = <Input extends object>(input: Input): Input => {
  const texts = Object.entries(input).filter(([field]) => field === "title" || field === "name");
  return { ...input, ...Object.fromEntries(texts.map(([field, text]) => [field, text?.trim()])) };
};

/** The board as it will be after a change. */
export const drawChange = <Path extends ChangePath>(
  board: BoardState,
  path: Path,
  input: InputOf<Path>,
  drawn: Drawn,
): BoardState => {
  const drawing: Draw<Path> = DRAWINGS[path];
  return drawing(board, trimmed(input), drawn);
};

/** The input with what it leaves to the moment in which the service reads it: whether a toggle adds or removes. */
export function saidInFull(board: BoardState, path: ChangePath, input: object): object {
  const { cardPublicId = "", labelPublicId = "", memberPublicId = "", on } = input as Partial<Record<string, string>>;
  const card = board.cards[cardPublicId];
  if (card === undefined || on !== undefined) return input;
  if (path === "card.toggleLabel") return { ...input, on: !card.labelIds.includes(labelPublicId) };
  if (path !== "card.toggleMember") return input;
  return { ...input, on: !card.members.some(({ publicId }) => publicId === memberPublicId) };
}

/** The siblings among which the index of an input counts, in order, without the thing itself; null where there is no index. */
export function siblingsOf(board: BoardState, path: ChangePath, input: object): readonly string[] | null {
  const { cardPublicIds = [], ...ids } = input as { cardPublicIds?: readonly string[] };
  const { cardPublicId = "", listPublicId, itemPublicId = "", index } = ids as Partial<Record<string, string>>;
  if (index === undefined) return null;
  const others = (all: readonly string[] = [], ...own: readonly string[]) => {
    const moved = new Set(own);
    return all.filter((id) => !moved.has(id));
  };
  if (path === "card.create" || path === "card.update" || path === "card.bulk.move") {
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    const list = board.lists.find(({ publicId }) => publicId === target);
    // The siblings on another board are not known.
    return list === undefined ? null : others(list.cardIds, cardPublicId, ...cardPublicIds);
  }
  const idsOf = (all: readonly { publicId: string }[] = []) => all.map(({ publicId }) => publicId);
  if (path === "board.lists.update") return others(idsOf(board.lists), listPublicId ?? "");
  return path === "card.checklists.updateItem"
    ? others(idsOf(checklistWith(board, itemPublicId)?.checklist.items), itemPublicId)
    : null;
}
