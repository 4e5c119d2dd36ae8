// The caller's changes of a board that the service has not confirmed, in order, and those that it refused.

import type { ChangePath } from "./changePaths.js";
import type { AssignedPerson, ChangeContext } from "./optimisticEvents.js";
import { cardOf, idsIn, names, siblingsOf, withChange } from "./ownChanges.js";
import { type BoardState, together, withStableKey } from "./state.js";

/** Options of a change. */
export interface ChangeOptions {
  /** The texts of a card with which an edit of them began. If the card has others by the time it is sent, it is refused as PRECONDITION_FAILED. */
  ifStill?: { readonly title?: string; readonly description?: string };
  /** The people whom the change assigns. Those who are not members of the board are shown before the service has answered only if they are given. */
  people?: readonly AssignedPerson[] | undefined;
}

/** A change that waits. Plain JSON, so that it can be stored. */
export interface Change {
  /** Its `Idempotency-Key` and `Request-Key`, and the identifier of what it creates until the service has named it. */
  readonly key: string;
  readonly path: ChangePath;
  readonly input: object;
  /** When it was made, as ISO 8601. */
  readonly at: string;
  /** The title, at that time, of the card that the change concerns, or of the first of several cards. */
  readonly cardTitle?: string | undefined;
  readonly ifStill?: ChangeOptions["ifStill"] | undefined;
  readonly people?: ChangeOptions["people"];
  /** The sibling behind which it puts something; null for the first place, undefined where the input has no index. */
  readonly behind?: string | null;
  /** When it was first sent, in milliseconds. From then on its input stays the same. */
  readonly sentAt?: number;
  /** The identifier that the service gave to the created thing. */
  readonly madeId?: string;
  /** Present once it was answered: the number of its last event, or null if it wrote none. */
  readonly answer?: { readonly eventId: number | null };
  /** Whether the base holds all its events, so that it is not applied any more. */
  readonly isInBase?: boolean;
}

/** A change that failed, until it is dismissed. */
export interface Refused extends Pick<Change, "key" | "path" | "input" | "cardTitle"> {
  /** The code of the error; null if the service did not answer for 24 hours, so that the change may have been made. */
  readonly code: string | null;
  readonly message: string;
  readonly issues: readonly { path: readonly (string | number)[]; message: string }[];
}

/** So many changes may wait. */
export const CHANGES_MAX = 500;

/** The changes whose later version replaces an earlier one that was not sent. */
const JOINED: readonly ChangePath[] = [
  "card.update",
  "card.toggleLabel",
  "card.toggleMember",
  "card.checklists.update",
  "card.checklists.updateItem",
  "card.comments.update",
  "board.lists.update",
  "board.labels.update",
  "board.update",
];

/** The same text for changes of the same fields of the same thing: the names of the fields, and the identifiers of the thing. */
const subjectOf = ({ path, input }: Change): string =>
  JSON.stringify([
    path,
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, name.endsWith("PublicId") && !isTarget(path, name) ? value : null])
      .sort(),
  ]);

/** The list of a move is a value, not the thing that is changed. */
const isTarget = (path: ChangePath, name: string) => path === "card.update" && name === "listPublicId";

/** Identifiers that the service gave, in place of those that things had before. */
function renamed<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (ids.size === 0) return value;
  return JSON.parse(JSON.stringify(value), (_name, one) => (typeof one === "string" ? (ids.get(one) ?? one) : one));
}

/** The index of a place among siblings: behind the one that it remembers, or else at the index that was wanted. */
function indexOf(siblings: readonly string[], { behind, input }: Change): number {
  if (behind === null) return 0;
  const at = siblings.indexOf(behind ?? "");
  const wanted: unknown = Reflect.get(input, "index");
  return at >= 0 ? at + 1 : Math.min(typeof wanted === "number" ? wanted : siblings.length, siblings.length);
}

/** Whether two changes have the same optimistic update. */
const isSameUpdate = (a: Change, b: Change | undefined): boolean =>
  a.input === b?.input && a.madeId === b.madeId && a.isInBase === b.isInBase;

export class Queue {
  changes: readonly Change[] = [];
  refused: readonly Refused[] = [];
  /** The number of changes of tabs that may be gone, which nobody has taken over yet. */
  unadopted = 0;
  /** The identifiers of created things, by the key that each had first. */
  readonly #named = new Map<string, string>();
  /** The board that was shown last, with its base and its changes. */
  #last: { base: BoardState; changes: readonly Change[]; board: BoardState } | null = null;

  get unanswered(): readonly Change[] {
    return this.changes.filter(({ answer }) => answer === undefined);
  }

  /** The number of changes without an answer. */
  get waiting(): number {
    return this.unanswered.length;
  }

  /** The first change without an answer. */
  get next(): Change | undefined {
    return this.changes.find(({ answer }) => answer === undefined);
  }

  find = (key: string): Change | undefined => this.changes.find((one) => one.key === key);

  /**
   * Adds a change to what is shown. Returns the key of an unsent change that it replaces, or null. What the input calls by its first
   * identifier gets the one of the service.
   */
  add(change: Change, board: BoardState): string | null {
    const input = renamed(change.input, this.#named);
    const siblings = siblingsOf(board, change.path, input);
    const wanted = indexOf(siblings ?? [], { ...change, input });
    const behind = siblings === null ? undefined : wanted === 0 ? null : (siblings[wanted - 1] ?? null);
    const cardTitle = cardOf(board, input)?.title;
    const own = { ...change, input, cardTitle, ...(behind !== undefined && { behind }) };
    const replaced = this.#replacedBy(own);
    // The edit that it goes on with began with other texts.
    const added = replaced === undefined ? own : { ...own, ifStill: replaced.ifStill };
    this.changes = [...this.changes.filter((one) => one !== replaced), added];
    return replaced?.key ?? null;
  }

  /** The unsent change of the same fields of the same thing, unless a change after it has to do with the thing. */
  #replacedBy(added: Change): Change | undefined {
    if (!JOINED.includes(added.path)) return undefined;
    const subject = subjectOf(added);
    const at = this.changes.findLastIndex((one) => one.sentAt === undefined && subjectOf(one) === subject);
    const found = this.changes[at];
    const ids = idsIn(added.input);
    const hasTo = ({ input, behind }: Change) => ids.some((id) => names([input, behind], id));
    return this.changes.slice(at + 1).some(hasTo) ? undefined : found;
  }

  /** The board with these changes applied over it. They are applied to the board that was shown last, where that is its beginning. */
  shown(base: BoardState, me: ChangeContext["me"]): BoardState {
    const last = this.#last;
    const isBeginning = last?.base === base && last.changes.every((one, at) => isSameUpdate(one, this.changes[at]));
    const [before, from] = last !== null && isBeginning ? [last.board, last.changes.length] : [base, 0];
    const board = this.#withChanges(before, this.changes.slice(from), me);
    this.#last = { base, changes: this.changes, board };
    return board;
  }

  #withChanges(base: BoardState, changes: readonly Change[], me: ChangeContext["me"]): BoardState {
    return together(() =>
      changes.reduce((board, change) => {
        const { key, path, input, at, madeId, isInBase, people } = change;
        if (isInBase === true) return board;
        const index = indexOf(siblingsOf(board, path, input) ?? [], change);
        const next = withChange(board, path, input as never, { id: madeId ?? key, at, index, me, people });
        return madeId === undefined ? next : withStableKey(next, madeId, key);
      }, base),
    );
  }

  /** Marks a change as sent. When it is sent first, its index is computed from the sibling that it remembers. */
  send(change: Change, base: BoardState, me: ChangeContext["me"], now: number): Change {
    if (change.sentAt !== undefined) return change;
    const earlier = this.changes.slice(0, this.changes.indexOf(change));
    const isPlaced = "index" in change.input;
    const siblings = isPlaced ? siblingsOf(this.#withChanges(base, earlier, me), change.path, change.input) : null;
    const input = siblings === null ? change.input : { ...change.input, index: indexOf(siblings, change) };
    return this.#set(change, { input, sentAt: now });
  }

  /** The identifier of a thing that may have been created here. */
  nameOf = (publicId: string): string => this.#named.get(publicId) ?? publicId;

  answer(key: string, eventId: number | null): void {
    const change = this.find(key);
    if (change !== undefined) this.#set(change, { answer: { eventId } });
  }

  /** Notes that the base holds all events of a change. */
  markInBase(key: string): void {
    const change = this.find(key);
    if (change !== undefined) this.#set(change, { isInBase: true });
  }

  /** Lets go of changes that were answered and are in the base, which stands at an event. */
  dropConfirmed(at: number): void {
    this.changes = this.changes.filter(
      ({ answer, isInBase }) => answer === undefined || !(isInBase || answer.eventId === null || answer.eventId <= at),
    );
  }

  /** Takes the name that the service gave to what a change created. */
  name(key: string, madeId: string): void {
    const change = this.find(key);
    if (change === undefined || change.madeId !== undefined) return;
    this.#named.set(key, madeId);
    this.#set(change, { madeId });
    this.changes = this.changes.map((one) => ({
      ...one,
      ...renamed({ input: one.input, behind: one.behind }, this.#named),
    }));
  }

  /** Moves a change to the refused ones, with those that need what it would have created. Returns them all. */
  refuse(change: Change, reason: Omit<Refused, "key" | "path" | "input" | "cardTitle">): Refused[] {
    const lost: Change[] = [];
    for (const one of this.changes) {
      if (one === change || (one.answer === undefined && lost.some(({ key }) => names(one.input, key)))) lost.push(one);
    }
    const refused = lost.map(({ key, path, input, cardTitle }) => ({ key, path, input, cardTitle, ...reason }));
    this.changes = this.changes.filter((one) => !lost.includes(one));
    this.refused = [...this.refused, ...refused];
    return refused;
  }

  /** Takes over the changes of another queue, before its own. */
  takeOver({ changes, refused }: Pick<Queue, "changes" | "refused">): void {
    const fresh = <T extends { key: string }>(theirs: readonly T[], own: readonly T[]) => [
      ...theirs.filter(({ key }) => own.every((one) => one.key !== key)),
      ...own,
    ];
    for (const { key, madeId } of changes) if (madeId !== undefined) this.#named.set(key, madeId);
    this.changes = fresh(changes, this.changes);
    this.refused = fresh(refused, this.refused);
  }

  /** Forgets changes without an answer, and refused ones. */
  drop(keys: readonly string[]): void {
    this.changes = this.changes.filter(({ key, answer }) => answer !== undefined || !keys.includes(key));
    this.refused = this.refused.filter(({ key }) => !keys.includes(key));
  }

  dismiss(key: string): void {
    this.refused = this.refused.filter((one) => one.key !== key);
  }

  #set(change: Change, values: Partial<Change>): Change {
    const now = { ...change, ...values };
    this.changes = this.changes.map((one) => (one === change ? now : one));
    return now;
  }
}
