// Turns planned boards into the rows of every table, with new identifiers and keys, and into the events that tell of them.

import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { GAP } from "../db/positions.js";
import { boardEvent, cardEvent, type NewEvent } from "../events/log.js";
import { type BoardPlan, type CardPlan, type ChecklistPlan, type CommentPlan, sum } from "./plans.js";

/** The tables whose rows refer to each other, so that their keys must be known first. */
export const KEYED = ["board", "list", "label", "card", "checklist", "comment"] as const;
export type Keyed = (typeof KEYED)[number];

/** How many keys of each table a plan takes. */
export const keysOf = (plans: readonly BoardPlan[]): Record<Keyed, number> => ({
  board: plans.length,
  list: sum(plans, ({ lists }) => lists.length),
  label: sum(plans, ({ labels }) => labels.length),
  card: sum(plans, ({ cards }) => cards.length),
  checklist: sum(plans, ({ cards }) => sum(cards, ({ checklists }) => checklists.length)),
  comment: sum(plans, ({ cards }) => sum(cards, ({ comments = [] }) => comments.length)),
});

interface BoardRow {
  id: number;
  publicId: string;
  name: string;
  slug: string;
  visibility: string;
}

interface ListRow {
  id: number;
  publicId: string;
  boardId: number;
  name: string;
  position: number;
  openCards: number;
}

/** Every row of an import, table by table, complete but for the workspace's key. */
export class Rows {
  readonly boards: BoardRow[] = [];
  readonly boardMembers: { boardId: number; memberId: number }[] = [];
  readonly boardTags: { boardId: number; nameKey: string }[] = [];
  readonly lists: ListRow[] = [];
  readonly labels: object[] = [];
  readonly cards: object[] = [];
  readonly cardLabels: object[] = [];
  readonly cardMembers: object[] = [];
  readonly checklists: object[] = [];
  readonly items: object[] = [];
  readonly comments: object[] = [];
  readonly events: NewEvent[] = [];
  /** For each card its number and its event's, both counted from 1. */
  readonly numbers: { id: number; number: number; event: number }[] = [];

  constructor(
    private readonly newKey: (table: Keyed) => number,
    private readonly importerId: number,
  ) {}

  addBoard(plan: BoardPlan, slug: string): void {
    const { name, visibility = "workspace", memberIds = [], tags = [] } = plan;
    const board = { id: this.newKey("board"), publicId: newPublicId(), name, slug, visibility };
    this.boards.push(board);
    for (const memberId of new Set([this.importerId, ...memberIds])) {
      this.boardMembers.push({ boardId: board.id, memberId });
    }
    for (const tag of tags) this.boardTags.push({ boardId: board.id, nameKey: nameKey(tag.name) });
    const counts = { lists: plan.lists.length, labels: plan.labels.length, cards: plan.cards.length };
    this.events.push(boardEvent({ boardPublicId: board.publicId }, "board.imported", { name, slug, ...counts }));

    const lists = plan.lists.map((list, index) => {
      const place = { boardId: board.id, name: list, position: index * GAP };
      return { id: this.newKey("list"), publicId: newPublicId(), ...place, openCards: 0 };
    });
    this.lists.push(...lists);
    const labels = plan.labels.map((label) => {
      const named = { boardId: board.id, ...label, nameKey: nameKey(label.name) };
      return { id: this.newKey("label"), publicId: newPublicId(), ...named };
    });
    this.labels.push(...labels);
    for (const card of plan.cards) {
      const list = card.listIndex === null ? null : lists[card.listIndex];
      if (list === undefined) throw new Error(`The plan of a board has no list ${card.listIndex}`);
      const labelIds = card.labelIndexes.flatMap((index) => labels[index]?.id ?? []);
      this.addCard(card, board, list, labelIds);
    }
  }

  private addCard(card: CardPlan, board: BoardRow, list: ListRow | null, labelIds: readonly number[]): void {
    const id = this.newKey("card");
    const publicId = newPublicId();
    const { title, description, dueDate, priority = "none", completedAt = null, archivedAt = null } = card;
    const { createdAt = null, comments = [] } = card;
    const index = archivedAt === null ? (list?.openCards ?? null) : null;
    if (list !== null && index !== null) list.openCards += 1;
    const on = { boardPublicId: board.publicId, cardPublicId: publicId };
    this.events.push(cardEvent(on, "card.created", { title, listPublicId: list?.publicId ?? null, index }));
    this.numbers.push({ id, number: this.numbers.length + 1, event: this.events.length });

    const items = card.checklists.flatMap((checklist) => checklist.items);
    const counts = {
      itemsTotal: items.length,
      itemsCompleted: items.filter(({ completed }) => completed).length,
      commentCount: comments.length,
    };
    const position = index === null ? null : index * GAP;
    const place = { boardId: board.id, listId: list?.id ?? null, position, number: -this.numbers.length };
    const state = { dueDate, priority, completedAt, archivedAt, createdAt };
    this.cards.push({ id, publicId, ...place, title, description, ...state, ...counts });
    for (const labelId of labelIds) this.cardLabels.push({ cardId: id, labelId });
    for (const memberId of card.memberIds) this.cardMembers.push({ cardId: id, memberId });
    for (const checklist of card.checklists) this.addChecklist(checklist, id);
    this.addComments(comments, id);
  }

  private addChecklist({ name, items }: ChecklistPlan, cardId: number): void {
    const checklistId = this.newKey("checklist");
    this.checklists.push({ id: checklistId, publicId: newPublicId(), cardId, name });
    for (const [index, { title, completed }] of items.entries()) {
      this.items.push({ publicId: newPublicId(), checklistId, title, completed, position: index * GAP });
    }
  }

  private addComments(comments: readonly CommentPlan[], cardId: number): void {
    const ids = comments.map(() => this.newKey("comment"));
    for (const [index, { parentIndex, ...comment }] of comments.entries()) {
      const parentId = parentIndex === null ? null : ids[parentIndex];
      this.comments.push({ id: ids[index], publicId: newPublicId(), cardId, parentId, ...comment });
    }
  }
}
