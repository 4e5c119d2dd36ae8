// Reads the history in Trello's export: comments, and when cards were completed or archived.

import { LENGTHS } from "../../api/shapes.js";
import { cutTo } from "../csv/rows.js";
import type { FileNotes } from "../imported.js";
import type { CommentPlan } from "../plans.js";
import { wordsOfAction } from "./actionWords.js";
import type { TrelloAction, TrelloFile } from "./file.js";
import { fitted, instantOf, madeAt } from "./texts.js";

const COMMENT_TYPES = new Set(["commentCard", "copyCommentCard"]);
/** Trello exports only this many actions, the newest ones. */
const ACTIONS_MAX = 1000;

interface History {
  comments: CommentPlan[];
  completedAt: string | null;
  closedAt: string | null;
}

/** The history of each card. */
export class Histories {
  private readonly ofCards = new Map<string, History>();
  private readonly names: Map<string, string>;
  private readonly isCut: boolean;

  /** `rows` has the position of each card in the file. */
  constructor(
    { actions, members }: TrelloFile,
    private readonly rows: ReadonlyMap<string, number>,
    private readonly notes: FileNotes,
  ) {
    this.names = new Map((members ?? []).map(({ id, fullName, username }) => [id, fullName || username || ""]));
    this.isCut = (actions ?? []).length >= ACTIONS_MAX;
    for (const action of actions ?? []) this.read(action);
    if (this.isCut) notes.add(0, "commentsMissing", `${actions?.length} actions: older ones may be missing`);
  }

  of(cardId: string): History {
    return this.ofCards.get(cardId) ?? { comments: [], completedAt: null, closedAt: null };
  }

  /** The comments of a card, oldest first; notes if Trello counts more than its export contains. */
  commentsOf(cardId: string, counted: number | null | undefined): CommentPlan[] {
    const { comments } = this.of(cardId);
    if ((counted ?? 0) > comments.length) {
      this.notes.add(this.rows.get(cardId) ?? 0, "commentsMissing", `${comments.length} of ${counted}`);
    }
    return comments.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  }

  private read(action: TrelloAction): void {
    const cardId = action.data?.card?.id ?? "";
    const rowNumber = this.rows.get(cardId);
    if (COMMENT_TYPES.has(action.type)) {
      if (rowNumber === undefined) this.notes.group(0, "danglingLink", "comments of cards that are not in the file");
      else this.history(cardId).comments.push(this.commentOf(action, rowNumber));
      return;
    }
    this.notes.group(0, "noPlace", `history: ${wordsOfAction(action.type)}`);
    const { old, card } = action.data ?? {};
    if (action.type !== "updateCard" || rowNumber === undefined || !old) return;
    const history = this.history(cardId);
    const at = instantOf({ notes: this.notes, rowNumber }, action.date);
    if (old.dueComplete === false && card?.dueComplete) history.completedAt = later(history.completedAt, at);
    if (old.closed === false && card?.closed) history.closedAt = later(history.closedAt, at);
  }

  private history(cardId: string): History {
    const history = this.of(cardId);
    this.ofCards.set(cardId, history);
    return history;
  }

  private commentOf({ id, date, data, memberCreator, idMemberCreator }: TrelloAction, rowNumber: number): CommentPlan {
    const noting = { notes: this.notes, rowNumber };
    const author = memberCreator?.fullName || memberCreator?.username || this.names.get(idMemberCreator ?? "") || "";
    return {
      comment: fitted(noting, data?.text || "(no text)", LENGTHS.comment),
      author: cutTo(author.trim(), LENGTHS.name) || "Unknown",
      createdAt: instantOf(noting, date) ?? madeAt(id ?? "") ?? new Date().toISOString(),
      editedAt: instantOf(noting, data?.dateLastEdited),
      parentIndex: null,
    };
  }
}

const later = (one: string | null, other: string | null) => ((one ?? "") > (other ?? "") ? one : other);
