// The changes that can be taken back and made again, newest first, of a board or of a calendar.

import { storeOf } from "../../store.js";

/** Something as a change left it, and as it was before. */
export interface Sides<State> {
  readonly before: State;
  readonly after: State;
}
export type Side = keyof Sides<unknown>;

/** A change that can be taken back. */
export interface Undoable<Part> {
  /** Describes the change. */
  readonly text: string;
  /** The same for changes that are taken back as one. */
  readonly subject?: string | undefined;
  readonly parts: readonly Part[];
}

interface Entry<Part> extends Undoable<Part> {
  readonly id: number;
  /** It is offered until then, in milliseconds since 1970. */
  until: number;
}

/** The result of taking a change back or making it again. What somebody else changed since is left as it is. */
export interface Outcome {
  text: string;
  made: number;
  changed: number;
  gone: number;
}

interface Actions<Part> {
  isThere(part: Part): boolean;
  /** Whether it is as the change left it, or as it was before. */
  is(part: Part, side: Side): boolean;
  make(parts: readonly Part[], side: Side): void;
}

const OFFERED_MS = 8000;
const CHANGES_MAX = 20;

export class Undoables<Part extends Sides<unknown>> {
  /** The newest change, while it is offered. */
  readonly offered = storeOf<Entry<Part> | null>(null);
  readonly #actions: Actions<Part>;
  readonly #changes: Record<Side, Entry<Part>[]> = { before: [], after: [] };
  #lastId = 0;
  #held: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(actions: Actions<Part>) {
    this.#actions = actions;
  }

  /** Offers to take a change back. Moves of one thing right behind each other are taken back as one. */
  offer(change: Undoable<Part>): number {
    const { before: done, after: undone } = this.#changes;
    this.#lastId += 1;
    const entry = { ...change, id: this.#lastId, until: Date.now() + OFFERED_MS };
    const latest = this.offered.get();
    const isSame = change.subject !== undefined && latest?.subject === change.subject;
    if (isSame) done.pop();
    const parts = isSame
      ? change.parts.map((part, index) => ({ ...part, before: latest.parts[index]?.before ?? part.before }))
      : change.parts;
    done.push({ ...entry, parts });
    done.splice(0, done.length - CHANGES_MAX);
    undone.length = 0;
    this.#show();
    return entry.id;
  }

  /** No longer knows a change, which the service has refused. */
  forget(id: number): void {
    for (const changes of Object.values(this.#changes)) {
      const at = changes.findIndex((one) => one.id === id);
      if (at !== -1) changes.splice(at, 1);
    }
    this.#show();
  }

  /** Takes the newest change back; null if there is none. */
  takeBack(): Outcome | null {
    return this.#turn("before", "after");
  }

  /** Makes the change again that was taken back last; null if there is none. */
  makeAgain(): Outcome | null {
    return this.#turn("after", "before");
  }

  /** Ends the offer of the newest change, which keys still take back. */
  dismiss(): void {
    const latest = this.#changes.before.at(-1);
    if (latest !== undefined) latest.until = 0;
    this.#held = null;
    this.#show();
  }

  /** Keeps the newest change offered while somebody points at it or has the focus there, and for a while behind that. */
  hold(isHeld: boolean): void {
    const latest = this.offered.get();
    if (latest === null) return;
    this.#held = isHeld ? latest.id : null;
    latest.until = Date.now() + OFFERED_MS;
    this.#show();
  }

  /** Brings changes to one side: those that were made, or taken back, and are as that left them. */
  #turn(to: Side, from: Side): Outcome | null {
    const entry = this.#changes[to].pop();
    if (entry === undefined) return null;
    const there = entry.parts.filter((part) => this.#actions.isThere(part));
    const own = there.filter((part) => this.#actions.is(part, from));
    this.#actions.make(own, to);
    if (own.length > 0) this.#changes[from].push({ ...entry, parts: own, until: 0 });
    this.#show();
    const gone = entry.parts.length - there.length;
    return { text: entry.text, made: own.length, changed: there.length - own.length, gone };
  }

  #show(): void {
    clearTimeout(this.#timer);
    const latest = this.#changes.before.at(-1);
    const restMs = latest === undefined ? 0 : latest.until - Date.now();
    const isOffered = latest !== undefined && (this.#held === latest.id || restMs > 0);
    this.offered.set(isOffered ? latest : null);
    if (isOffered && this.#held !== latest.id) this.#timer = setTimeout(() => this.#show(), restMs);
  }
}
