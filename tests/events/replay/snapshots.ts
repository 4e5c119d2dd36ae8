// Snapshots of boards as the API answers them, and what of a board two states of it are compared by.

import { type Client, ok } from "../../helpers/app.js";
import { boardState, cardState } from "./reducer.js";
import type { BoardState, CardState, LoggedBoard, LoggedCard, LoggedComment, ReplayedEvent } from "./state.js";

interface BoardAnswer extends Omit<LoggedBoard, "lists"> {
  lists: { publicId: string; name: string; index: number; cards: LoggedCard[] }[];
}

interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

async function pagesOf<T>(client: Client, path: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page<T> = ok(await client.get<Page<T>>(`${path}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`));
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

const stateOf = ({ lists, ...board }: BoardAnswer): BoardState => ({
  ...boardState({
    publicId: board.publicId,
    name: board.name,
    slug: board.slug,
    visibility: board.visibility,
    isArchived: board.isArchived,
    tags: board.tags,
    labels: board.labels,
    // Addresses are no part of events.
    members: board.members.map(({ publicId, name, image, role, status }) => ({ publicId, name, image, role, status })),
    lists: [],
  }),
  lists: lists.map(({ publicId, name, cards }) => ({
    publicId,
    name,
    cardPublicIds: cards.map((card) => card.publicId),
  })),
  cards: Object.fromEntries(lists.flatMap(({ cards }) => cards.map((card) => [card.publicId, cardState(card, false)]))),
});

/** A board as `GET /boards/{boardPublicId}` alone shows it. */
export const readBoard = async (client: Client, boardPublicId: string): Promise<BoardState> =>
  stateOf(ok(await client.get<BoardAnswer>(`/boards/${boardPublicId}`)));

/** A board with everything on it: every card, archived ones too, as `GET /cards/{cardPublicId}` shows it. */
export async function readWholeBoard(client: Client, boardPublicId: string): Promise<BoardState> {
  const board = await readBoard(client, boardPublicId);
  const archived = await pagesOf<LoggedCard>(client, `/boards/${boardPublicId}/archived-cards`);
  const publicIds = [...Object.keys(board.cards), ...archived.map((card) => card.publicId)];
  const cards = await Promise.all(publicIds.map((publicId) => client.get<LoggedCard>(`/cards/${publicId}`)));
  for (const card of cards.map(ok)) board.cards[card.publicId] = cardState(card, true);
  return board;
}

/** The comments of a card, oldest first. */
export const readComments = async (client: Client, cardPublicId: string): Promise<LoggedComment[]> =>
  (await pagesOf<LoggedComment>(client, `/cards/${cardPublicId}/comments`)).map(comparedComment);

export const comparedComment = ({
  publicId,
  comment,
  author,
  parentCommentPublicId,
  importedFrom,
  createdAt,
  editedAt,
}: LoggedComment): LoggedComment => ({
  ...{ publicId, comment, parentCommentPublicId, importedFrom, createdAt, editedAt },
  // The name of an author who left is known to nobody but the comment.
  author: { publicId: author.publicId },
});

interface EventPage {
  items: ReplayedEvent[];
  nextCursor: number;
}

/** The events of a workspace after a number, of one board where it is given, page by page. */
export async function readEvents(
  client: Client,
  workspace: { publicId: string },
  { after, boardPublicId }: { after: number; boardPublicId?: string },
): Promise<ReplayedEvent[]> {
  const found: ReplayedEvent[] = [];
  const on = boardPublicId === undefined ? "" : `&boardPublicId=${boardPublicId}`;
  for (let next = after; ; ) {
    const page = ok(
      await client.get<EventPage>(`/workspaces/${workspace.publicId}/events?limit=100&after=${next}${on}`),
    );
    found.push(...page.items);
    if (page.items.length < 100) return found;
    next = page.nextCursor;
  }
}

const sorted = <T extends { publicId: string }>(all: readonly T[]) =>
  [...all].sort((a, b) => (a.publicId < b.publicId ? -1 : 1));

const comparedCard = (card: CardState) => ({
  ...card,
  labelPublicIds: [...card.labelPublicIds].sort(),
  members: sorted(card.members),
});

const comparedHead = (board: BoardState) => ({
  ...board,
  tags: sorted(board.tags),
  labels: sorted(board.labels),
  // Who is invited is called by the address, which events do not hold.
  members: sorted(board.members).map((member) => (member.status === "invited" ? { ...member, name: "" } : member)),
});

/** Everything of a board that counts, whatever the order of labels and people. */
export const compared = (board: BoardState) => ({
  ...comparedHead(board),
  cards: Object.fromEntries(Object.entries(board.cards).map(([publicId, card]) => [publicId, comparedCard(card)])),
});

/** The same of what a board alone shows: open cards without their details. */
export function comparedAlone(board: BoardState) {
  const open = board.lists.flatMap(({ cardPublicIds }) => cardPublicIds);
  const cards = open.map((publicId) => {
    const card = board.cards[publicId];
    return [publicId, card === undefined ? null : { ...comparedCard(card), details: null }];
  });
  return { ...comparedHead(board), cards: Object.fromEntries(cards) };
}
