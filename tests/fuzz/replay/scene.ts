// A workspace that a random sequence of changes acts on, and what is known of it: all of it from events.

import { type BoardState, boardState, type CardState } from "../../../packages/client/src/board/state.js";
import type { Comment, Event, EventOf } from "../../../packages/client/src/board/things.js";
import { permissionsOf } from "../../../src/access/permissions.js";
import { readEvents, replayedWhole } from "../../events/replay/snapshots.js";
import type { Client, MemberPerson, Person, TestApp, Workspace } from "../../helpers/app.js";
import type { Choice } from "../boardScene.js";

export type { Choice } from "../boardScene.js";

export interface Call {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** Who makes it, where that is not the admin. */
  by?: Client;
  /** Keeps what later steps need of an answer. */
  keep?(answer: { inviteLink?: string | null }): void;
}

/** Chooses a call; null where there is nothing yet to act on. */
export type Step = (scene: Scene, choice: Choice) => Promise<Call | null> | Call | null;

export interface Accounts {
  owner: Person;
  others: Person[];
}

/** The boards of a workspace with everything on them, kept from the list of its events. */
export class Followed {
  readonly boards = new Map<string, BoardState>();
  /** What is known of the comments of each card, wherever it is. */
  readonly comments = new Map<string, readonly Comment[]>();

  apply(event: Event): void {
    const { boardPublicId } = event;
    if (event.type === "board.created" || event.type === "board.imported") {
      const { board } = event.data;
      const me = this.boards.values().next().value?.me;
      if (board !== undefined && me !== undefined) this.boards.set(board.publicId, newBoard(board, me));
    }
    if (event.type === "board.deleted" && boardPublicId !== null) this.boards.delete(boardPublicId);
    for (const [publicId, board] of this.boards) {
      const comments = this.comments.get(event.cardPublicId ?? "");
      const after = replayedWhole(board, event, comments);
      const details = after.cards[event.cardPublicId ?? ""]?.details;
      if (event.cardPublicId !== null && details) this.comments.set(event.cardPublicId, details.comments);
      this.boards.set(publicId, after);
    }
  }
}

type LoggedBoard = NonNullable<EventOf<"board.created">["data"]["board"]>;

/** A board as the event shows it that tells of its creation. */
const newBoard = ({ lists, members, ...board }: LoggedBoard, { memberPublicId, role }: BoardState["me"]): BoardState =>
  boardState({
    ...board,
    isFavourite: false,
    me: { memberPublicId, role, permissions: [...permissionsOf(role, { isArchived: board.isArchived })] },
    workspace: { publicId: "", name: "", slug: "", cardPrefix: "" },
    members: members.map((member) => ({ ...member, email: null })),
    lists: lists.map((list) => ({ ...list, cards: [] })),
  });

/** A workspace, its people, and what the events so far tell of it. */
export class Scene {
  readonly followed = new Followed();
  /** Codes of invitations and links. */
  readonly codes: string[] = [];
  lastEvent = 0;

  constructor(
    readonly app: TestApp,
    readonly workspace: Workspace,
    readonly accounts: Accounts,
    readonly guest: MemberPerson,
  ) {}

  get admin(): Client {
    return this.app.as(this.accounts.owner);
  }

  get boards(): BoardState[] {
    return [...this.followed.boards.values()];
  }

  /** Applies what was logged since the last time; gives those events. */
  async catchUp(): Promise<Event[]> {
    const events = await readEvents(this.admin, this.workspace, { after: this.lastEvent });
    for (const event of events) this.followed.apply(event);
    this.lastEvent = events.at(-1)?.id ?? this.lastEvent;
    return events;
  }
}

export const pick = <T>(items: readonly T[], turn: number): T | undefined => items[turn % Math.max(1, items.length)];

export const some = <T>(items: readonly T[], turns: readonly number[]): T[] => [
  ...new Set(turns.flatMap((turn) => pick(items, turn) ?? [])),
];

export const idsOf = (things: readonly { publicId: string }[]) => things.map(({ publicId }) => publicId);

export const aBoard = ({ boards }: Scene, turn: number) => pick(boards, turn);

export function aList(scene: Scene, turns: readonly number[]) {
  const all = scene.boards.flatMap((board) => board.lists.map((list) => ({ board, list })));
  return pick(all, turns[0] ?? 0);
}

const cardsOf = (board: BoardState): CardState[] => Object.values(board.cards);

/** A card of a board, archived or not, and the board. */
export function aCard(scene: Scene, turn: number) {
  const all = scene.boards.flatMap((board) => cardsOf(board).map((card) => ({ board, card })));
  return pick(all, turn);
}

export function someCards(scene: Scene, turns: readonly number[], board?: BoardState): CardState[] {
  return some(board === undefined ? scene.boards.flatMap(cardsOf) : cardsOf(board), turns);
}

export async function membersOf(scene: Scene): Promise<{ publicId: string; email: string | null; role: string }[]> {
  const { body } = await scene.admin.get<{ publicId: string; email: string | null; role: string }[]>(
    `/workspaces/${scene.workspace.publicId}/members`,
  );
  return body;
}
