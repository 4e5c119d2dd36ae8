// A board and an event are the next board. A snapshot of a board and the events after it are the next snapshot.

import { permissionsOf } from "../client.js";
import { type PartEvent, partChangeOf } from "./cardParts.js";
import {
  type BoardState,
  type CardDetails,
  type CardState,
  type ListState,
  together,
  wholeCard,
  withCard,
  withFields,
  withoutCard,
} from "./state.js";
import {
  type Comment,
  type Event,
  type EventOf,
  type EventType,
  type LoggedCard,
  placed,
  replaced,
  sortedByName,
  valuesOf,
  withOne,
  without,
} from "./things.js";

type Handler<Type extends EventType> = (board: BoardState, event: EventOf<Type>) => BoardState;
type DataOf<Type extends EventType> = EventOf<Type>["data"];
interface Place {
  listPublicId: string;
  index: number;
}

/** The data of an event, which the compiler takes for a union of all types. */
const dataOf = <Type extends EventType>({ data }: Pick<Event, "data">) => data as DataOf<Type>;

/** The types that change no board. */
type Unchanging =
  | "workspace.updated"
  | "member.invited"
  | "invite.created"
  | "invite.revoked"
  | "tag.created"
  | "meeting.saved"
  | "meeting.deleted"
  | "webhook.created"
  | "webhook.updated"
  | "webhook.deleted"
  | "board.created"
  | "board.deleted"
  | "board.imported";

const unchanged = (board: BoardState): BoardState => board;

/** A handler that changes the card of the event, if it is known. */
const onCard =
  <Type extends EventType>(to: (card: CardState, data: DataOf<Type>) => CardState): Handler<Type> =>
  (board, event) => {
    const card = board.cards[event.cardPublicId ?? ""];
    return card === undefined ? board : withCard(board, to(card, dataOf<Type>(event)));
  };

const withDetails = (card: CardState, to: (details: CardDetails) => Partial<CardDetails>): CardState =>
  card.details === null ? card : { ...card, details: { ...card.details, ...to(card.details) } };

/** The handler of a type that is about a part of a card. */
function onParts(type: string): Handler<PartEvent> | undefined {
  const change = partChangeOf(type);
  if (change === undefined) return undefined;
  return onCard<PartEvent>((card, data) => {
    const { total = 0, completed = 0 } = change.counts?.(data) ?? {};
    const { checklistItems: before } = card;
    const checklistItems = { total: before.total + total, completed: before.completed + completed };
    return withDetails({ ...card, checklistItems }, (details) => change.parts(details, data));
  });
}

const withComments = (
  card: CardState,
  by: number,
  to: (comments: CardDetails["comments"]) => CardDetails["comments"],
) => withDetails({ ...card, commentCount: card.commentCount + by }, ({ comments }) => ({ comments: to(comments) }));

/** Changes all cards, sharing those that `to` leaves as they are. */
const onCards = (board: BoardState, to: (card: CardState) => CardState): BoardState =>
  together(() => Object.values(board.cards).reduce((state, card) => withCard(state, to(card)), board));

const onList = (board: BoardState, publicId: string, to: (list: ListState) => ListState): BoardState => {
  const lists = replaced(board.lists, publicId, to);
  return withFields(board, { lists });
};

function offLists(board: BoardState, cardPublicId: string): BoardState {
  const list = board.lists.find(({ cardIds }) => cardIds.includes(cardPublicId));
  if (list === undefined) return board;
  const cardIds = list.cardIds.toSpliced(list.cardIds.indexOf(cardPublicId), 1);
  return onList(board, list.publicId, (one) => ({ ...one, cardIds }));
}

/** Puts a card on a list, wherever it was before; also one of which nothing but the identifier is known. */
function onPlace(board: BoardState, cardPublicId: string, { listPublicId, index }: Place): BoardState {
  const list = board.lists.find(({ publicId }) => publicId === listPublicId);
  const isThere = list?.cardIds[index] === cardPublicId;
  const off = isThere ? board : offLists(board, cardPublicId);
  const on = isThere
    ? off
    : onList(off, listPublicId, (one) => ({ ...one, cardIds: one.cardIds.toSpliced(index, 0, cardPublicId) }));
  const card = on.cards[cardPublicId];
  return card === undefined
    ? on
    : withCard(
        on,
        withDetails({ ...card, isGone: false }, () => ({ listPublicId })),
      );
}

/** Takes a card off the board. If it is open, it stays known as gone. */
function leaves(board: BoardState, cardPublicId: string): BoardState {
  const off = offLists(board, cardPublicId);
  const card = off.cards[cardPublicId];
  if (card === undefined) return off;
  return card.details === null ? withoutCard(off, cardPublicId) : withCard(off, { ...card, isGone: true });
}

/** A card that comes to the board, or comes back to it, with everything that is on it. */
function arrives(
  board: BoardState,
  cardPublicId: string,
  card: LoggedCard | undefined,
  to: Place | undefined,
): BoardState {
  const before = board.cards[cardPublicId];
  if (card === undefined) return to === undefined ? board : onPlace(board, cardPublicId, to);
  const { shown, details } = wholeCard(card, before?.key);
  const known = withDetails({ ...shown, details: before?.details ?? null }, () => details);
  // A card that was created archived has no place.
  if (to === undefined) return before === undefined ? board : withCard(board, { ...known, isGone: true });
  return onPlace(withCard(board, known), cardPublicId, to);
}

const onMember = (board: BoardState, publicId: string, values: object): BoardState =>
  withFields(board, { members: replaced(board.members, publicId, (one) => ({ ...one, ...values })) });

/** The change of a board for each other type of event. */
const HANDLERS: { [Type in Exclude<EventType, PartEvent | Unchanging>]: Handler<Type> } = {
  "member.added": (board, { data: { member } }) => onMember(board, member.publicId, member),
  "member.updated": (board, { data: { memberPublicId, changes } }) => {
    const values = valuesOf(changes);
    const isAuthor = ({ author }: Comment) => author.memberPublicId === memberPublicId;
    return onCards(onMember(board, memberPublicId, values), (card) => {
      const members = replaced(card.members, memberPublicId, (one) => ({ ...one, ...values }));
      const shown = members === card.members ? card : { ...card, members };
      return shown.details?.comments.some(isAuthor)
        ? withDetails(shown, ({ comments }) => ({
            comments: comments.map((one) => (isAuthor(one) ? { ...one, author: { ...one.author, ...values } } : one)),
          }))
        : shown;
    });
  },
  "member.removed": (board, { data }) => withFields(board, { members: without(board.members, data.memberPublicId) }),
  "member.role.changed": (board, { data: { memberPublicId, to: role } }) => {
    const { me } = board;
    const isMe = memberPublicId === me.memberPublicId && role !== me.role;
    return withFields(onMember(board, memberPublicId, { role }), { me: isMe ? { ...me, role } : me });
  },
  "tag.updated": (board, { data: { tagPublicId, changes } }) =>
    withFields(board, {
      tags: sortedByName(replaced(board.tags, tagPublicId, (tag) => ({ ...tag, ...valuesOf(changes) }))),
    }),
  "tag.deleted": (board, { data }) => withFields(board, { tags: without(board.tags, data.tagPublicId) }),
  "board.updated": (board, { data }) => withFields(board, valuesOf(data.changes)),
  "board.archived": (board) => withFields(board, { isArchived: true }),
  "board.unarchived": (board) => withFields(board, { isArchived: false }),
  // Events hold no addresses.
  "board.member.added": (board, { data: { member } }) =>
    member === undefined ? board : { ...board, members: withOne(board.members, { ...member, email: null }) },
  "board.member.removed": (board, { data }) =>
    withFields(board, { members: without(board.members, data.memberPublicId) }),
  "board.tag.added": (board, { data: { tagPublicId: publicId, name = "", colourCode = "" } }) =>
    withFields(board, { tags: sortedByName(withOne(board.tags, { publicId, name, colourCode })) }),
  "board.tag.removed": (board, { data }) => withFields(board, { tags: without(board.tags, data.tagPublicId) }),
  "list.created": (board, { data: { list } }) => {
    if (list === undefined || board.lists.some(({ publicId }) => publicId === list.publicId)) return board;
    const { index, ...made } = list;
    return { ...board, lists: placed(board.lists, index, { ...made, key: made.publicId, cardIds: [] }) };
  },
  "list.updated": (board, { data }) =>
    onList(board, data.listPublicId, (list) => ({ ...list, ...valuesOf(data.changes) })),
  "list.moved": (board, { data: { listPublicId, to } }) => {
    const list = board.lists.find(({ publicId }) => publicId === listPublicId);
    return list === undefined ? board : { ...board, lists: placed(board.lists, to.index, list) };
  },
  "list.deleted": (board, { data: { listPublicId } }) =>
    onCards({ ...board, lists: without(board.lists, listPublicId) }, (card) =>
      card.details?.listPublicId === listPublicId ? withDetails(card, () => ({ listPublicId: null })) : card,
    ),
  "label.created": (board, { data: { label } }) =>
    label === undefined ? board : { ...board, labels: sortedByName(withOne(board.labels, label)) },
  "label.updated": (board, { data: { labelPublicId, changes } }) =>
    withFields(board, {
      labels: sortedByName(replaced(board.labels, labelPublicId, (label) => ({ ...label, ...valuesOf(changes) }))),
    }),
  "label.deleted": (board, { data: { labelPublicId } }) =>
    onCards({ ...board, labels: without(board.labels, labelPublicId) }, (card) =>
      withLabel(card, labelPublicId, false),
    ),
  "card.created": (board, { cardPublicId, data }) => arrives(board, cardPublicId ?? "", data.card, data.to),
  "card.updated": onCard((card, { changes }) => ({ ...card, ...valuesOf(changes) })),
  // The board that a card leaves has an event of its own, which is not an event of the card.
  "card.moved": (board, { cardPublicId, data }) =>
    cardPublicId === null ? leaves(board, data.cardPublicId ?? "") : arrives(board, cardPublicId, data.card, data.to),
  "card.archived": (board, { cardPublicId, createdAt }) => {
    const left = leaves(board, cardPublicId ?? "");
    const card = left.cards[cardPublicId ?? ""];
    return card === undefined
      ? left
      : withCard(
          left,
          withDetails(card, () => ({ archivedAt: createdAt })),
        );
  },
  "card.unarchived": (board, { cardPublicId, data }) => {
    const back = arrives(board, cardPublicId ?? "", data.card, data.to);
    const card = back.cards[cardPublicId ?? ""];
    return card === undefined
      ? back
      : withCard(
          back,
          withDetails(card, () => ({ archivedAt: null })),
        );
  },
  "card.deleted": (board, { cardPublicId }) => leaves(board, cardPublicId ?? ""),
  "card.completed": onCard((card, { to }) => ({ ...card, completedAt: to })),
  "card.reopened": onCard((card, { to }) => ({ ...card, completedAt: to })),
  "card.label.added": onCard((card, { labelPublicId }) => withLabel(card, labelPublicId, true)),
  "card.label.removed": onCard((card, { labelPublicId }) => withLabel(card, labelPublicId, false)),
  "card.member.added": onCard((card, { member }) =>
    member === undefined ? card : { ...card, members: withOne(card.members, member) },
  ),
  "card.member.removed": onCard((card, { memberPublicId }) => ({
    ...card,
    members: without(card.members, memberPublicId),
  })),
  "comment.created": onCard((card, { comment }) =>
    withComments(card, 1, (comments) => (comment === undefined ? comments : withOne(comments, comment))),
  ),
  "comment.updated": onCard((card, { commentPublicId, changes, editedAt = null }) =>
    withComments(card, 0, (comments) =>
      replaced(comments, commentPublicId, (one) => ({ ...one, ...valuesOf(changes), editedAt })),
    ),
  ),
  "comment.deleted": onCard((card, { commentPublicId }) =>
    withComments(card, -1, (comments) =>
      without(comments, commentPublicId).map((one) =>
        one.parentCommentPublicId === commentPublicId ? { ...one, parentCommentPublicId: null } : one,
      ),
    ),
  ),
};

function withLabel(card: CardState, labelPublicId: string, isOn: boolean): CardState {
  if (card.labelIds.includes(labelPublicId) === isOn) return card;
  const others = card.labelIds.filter((id) => id !== labelPublicId);
  return { ...card, labelIds: isOn ? [...others, labelPublicId] : others };
}

/** Keeps the caller's role and permissions current: they follow from the people of the board, its archive and the token's scope. */
function withMe(before: BoardState, board: BoardState): BoardState {
  const { me, members, isArchived } = board;
  if (me === before.me && members === before.members && isArchived === before.isArchived) return board;
  const { role } = members.find(({ publicId }) => publicId === me.memberPublicId) ?? me;
  if (role === before.me.role && isArchived === before.isArchived) return board;
  return { ...board, me: { ...me, role, permissions: permissionsOf(role, { scope: me.scope, isArchived }) } };
}

/** The handler of an event by its own type. A type that only a newer service has changes no board. */
const handlerOf = ({ type }: Event) =>
  (onParts(type) ?? (Object.hasOwn(HANDLERS, type) ? Reflect.get(HANDLERS, type) : unchanged)) as Handler<EventType>;

/**
 * The board after an event. Pure; what an event does not change is the same object afterwards. An unknown type and an event of
 * another board change nothing.
 */
export function applyEvent(board: BoardState, event: Event): BoardState {
  if (event.boardPublicId !== null && event.boardPublicId !== board.publicId) return board;
  const next = withMe(board, handlerOf(event)(board, event));
  const card = next.cards[event.cardPublicId ?? ""];
  if (card === undefined || card.details === null) return next;
  return withCard(
    next,
    withDetails(card, () => ({ updatedAt: event.createdAt })),
  );
}
