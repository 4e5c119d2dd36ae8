import { storeOf } from "../../store.js";
import type { Inverse } from "./inverse.js";

/** A change that can be taken back. */
export interface Undoable extends Pick<Inverse, "text" | "subject"> {
  readonly id: number;
  run(): void;
}

const OFFERED_MS = 8000;

/** The changes of one thing, such as a board, that can be taken back, each for a while. */
export class Undoables {
  /** The latest last. */
  readonly all = storeOf<readonly Undoable[]>([]);
  #lastId = 0;

  /** Offers to take a change back. Moves of one thing right behind each other are taken back as one. */
  offer(change: Omit<Undoable, "id">): number {
    this.#lastId += 1;
    const id = this.#lastId;
    const all = this.all.get();
    const latest = all.at(-1);
    const isSame = change.subject !== undefined && latest?.subject === change.subject;
    const before = isSame ? all.slice(0, -1) : all;
    this.all.set([...before, { ...change, ...(isSame && { run: latest.run }), id }]);
    setTimeout(() => this.forget(id), OFFERED_MS);
    return id;
  }

  /** No longer offers to take a change back. */
  forget(id: number): void {
    this.all.set(this.all.get().filter((one) => one.id !== id));
  }

  takeBack({ id, run }: Undoable): void {
    this.forget(id);
    run();
  }
}
