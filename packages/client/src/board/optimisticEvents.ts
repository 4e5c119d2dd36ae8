// The events that the service will write for a change, applied before it has answered.

import { applyEvent } from "./applyEvent.js";
import type { ChangePath, InputOf } from "./changePaths.js";
import { type BoardState, withCard } from "./state.js";
import type { Event, EventOf, EventType } from "./things.js";

/** The values that an optimistic update uses beside the input of the change. */
export interface ChangeContext {
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

/** The board as it will be after a change. It stays the same by what the board has already. */
type OptimisticUpdate<Path extends ChangePath> = (
  board: BoardState,
  input: InputOf<Path>,
  context: ChangeContext,
) => BoardState;

export type OptimisticUpdates = { readonly [Path in ChangePath]: OptimisticUpdate<Path> };

/** An event as far as `applyEvent` reads it. */
const eventOf = <Type extends EventType>(
  type: Type,
  createdAt: string,
  cardPublicId: string | null,
  data: EventOf<Type>["data"],
) => ({ type, createdAt, boardPublicId: null, cardPublicId, data }) as unknown as Event;

/** Applies an event that a change will write. Its card waits for the service. */
export function withEvent<Type extends EventType>(
  board: BoardState,
  { at }: ChangeContext,
  type: Type,
  cardPublicId: string | null,
  data: EventOf<Type>["data"],
): BoardState {
  const next = applyEvent(board, eventOf(type, at, cardPublicId, data));
  const card = next.cards[cardPublicId ?? ""];
  return card === undefined || card.isWaiting ? next : withCard(next, { ...card, isWaiting: true });
}

/** The values of an input that differ from those of a thing, as events have them. */
export function changesTo(thing: object, wanted: object): object | undefined {
  const changes = Object.entries(wanted).flatMap(([name, to]) => {
    const from: unknown = Reflect.get(thing, name);
    return to === undefined || to === from ? [] : [[name, { from, to }]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** Updates the board for each of several things. */
export const onEach = (board: BoardState, ids: readonly string[], to: (board: BoardState, id: string) => BoardState) =>
  [...new Set(ids)].reduce(to, board);
