// A workspace that a random sequence of changes acts on, and what is known of it: all of it from events.

import { applyEvent, boardState } from "../../events/replay/reducer.js";
import { comparedComment, readEvents } from "../../events/replay/snapshots.js";
import type { BoardState, CardState, LoggedComment, ReplayedEvent } from "../../events/replay/state.js";
import type { Client, MemberPerson, Person, TestApp, Workspace } from "../../helpers/app.js";
import type { Choice } from "../boardScene.js";

export type { Choice } from "../boardScene.js";

/** One call, which the service may also refuse. */
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

/** The boards of a workspace and the comments of its cards, kept from the list of its events. */
export class Followed {
  readonly boards = new Map<string, BoardState>();
  readonly comments = new Map<string, LoggedComment[]>();

  apply(event: ReplayedEvent): void {
    const { type, data, boardPublicId } = event;
    if (data.board !== undefined) this.boards.set(data.board.publicId, boardState(data.board));
    if (type === "board.deleted" && boardPublicId !== null) this.boards.delete(boardPublicId);
    for (const board of this.boards.values()) applyEvent(board, event);
    this.#applyComment(event);
  }

  #applyComment({ type, cardPublicId, data }: ReplayedEvent): void {
    if (cardPublicId === null) return;
    const known = this.comments.get(cardPublicId) ?? [];
    const set = (comments: LoggedComment[]) => this.comments.set(cardPublicId, comments);
    const { comment, commentPublicId } = data;
    if (type === "comment.created" && comment !== undefined) set([...known, comparedComment(comment)]);
    if (type === "comment.updated") {
      const [text, editedAt = null] = [data.changes?.comment?.to, data.editedAt];
      set(known.map((one) => (one.publicId === commentPublicId ? { ...one, comment: String(text), editedAt } : one)));
    }
    if (type !== "comment.deleted") return;
    const left = known.filter(({ publicId }) => publicId !== commentPublicId);
    const isReply = (one: LoggedComment) => one.parentCommentPublicId === commentPublicId;
    set(left.map((one) => (isReply(one) ? { ...one, parentCommentPublicId: null } : one)));
  }
}

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
  async catchUp(): Promise<ReplayedEvent[]> {
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

/** A list of a board, and the board. */
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

/** Cards of one board, or of any. */
export function someCards(scene: Scene, turns: readonly number[], board?: BoardState): CardState[] {
  return some(board === undefined ? scene.boards.flatMap(cardsOf) : cardsOf(board), turns);
}

/** The members of the workspace as they are now. */
export async function membersOf(scene: Scene): Promise<{ publicId: string; email: string | null; role: string }[]> {
  const { body } = await scene.admin.get<{ publicId: string; email: string | null; role: string }[]>(
    `/workspaces/${scene.workspace.publicId}/members`,
  );
  return body;
}
