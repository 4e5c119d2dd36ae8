// The things on a board, as the service answers them, and steps from one list of things to the next. A step gives the same list where
// nothing changes.

import type { Board, Card, Event, RouterOutputs } from "../client.js";

export type { Event, EventOf, EventType } from "../client.js";

/** A board as `GET /boards/{boardPublicId}` answers it. */
export type Snapshot = Board;
/** A card as `GET /cards/{cardPublicId}` answers it. */
export type WholeCard = Card;
export type Comment = RouterOutputs["card"]["comments"]["list"]["items"][number];
export type CommentPage = Pick<RouterOutputs["card"]["comments"]["list"], "items" | "nextCursor">;
export type SnapshotList = Snapshot["lists"][number];
export type SnapshotCard = SnapshotList["cards"][number];

/** A card as events hold it. */
export type LoggedCard = NonNullable<Extract<Event, { type: "card.created" }>["data"]["card"]>;

type Named = { readonly publicId: string };

/** Things that were created here keep the `key` with which they first appeared, for lists of a page; also what is in them. */
export type WithStableKey<T> = T extends readonly (infer One)[]
  ? readonly WithStableKey<One>[]
  : T extends Named
    ? { readonly [Name in keyof T]: T[Name] extends readonly unknown[] ? WithStableKey<T[Name]> : T[Name] } & {
        readonly key?: string;
      }
    : T;

type Changes = { readonly [name: string]: { readonly to: unknown } | undefined };

/** The values after an edit; `changes` is missing once the thing was deleted. */
export const valuesOf = (changes: object | undefined): object =>
  Object.fromEntries(
    Object.entries((changes ?? {}) as Changes).flatMap(([name, change]) => (change ? [[name, change.to]] : [])),
  );

/** Replaces one thing of several. */
export function replaced<T extends Named>(all: readonly T[], publicId: string, to: (one: T) => T): readonly T[] {
  const index = all.findIndex((one) => one.publicId === publicId);
  const found = all[index];
  if (found === undefined) return all;
  const now = to(found);
  return now === found ? all : all.with(index, now);
}

export const without = <T extends Named>(all: readonly T[], publicId: string): readonly T[] =>
  all.some((one) => one.publicId === publicId) ? all.filter((one) => one.publicId !== publicId) : all;

/** Adds a thing at the end, or replaces it where it is. */
export const withOne = <T extends Named>(all: readonly T[], one: T): readonly T[] =>
  all.some(({ publicId }) => publicId === one.publicId) ? replaced(all, one.publicId, () => one) : [...all, one];

/** Puts a thing at an index among the others. */
export function placed<T>(all: readonly T[], index: number, one: T): readonly T[] {
  if (all[index] === one) return all;
  const others = all.filter((other) => other !== one);
  return others.toSpliced(index, 0, one);
}

const collator = new Intl.Collator("en", { numeric: true });
/** Sorts as the service sorts labels and tags. */
export const sortedByName = <T extends Named & { name: string }>(all: readonly T[]): readonly T[] =>
  all.toSorted((a, b) => collator.compare(a.name, b.name) || (a.publicId < b.publicId ? -1 : 1));

/** Gives a created thing the key with which it first appeared, wherever it is in `value`. */
export function withStableKeyIn<T>(value: T, publicId: string, key: string): T {
  if (typeof value !== "object" || value === null) return value;
  if ("publicId" in value && value.publicId === publicId) {
    return "key" in value && value.key === key ? value : { ...value, key };
  }
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, withStableKeyIn<unknown>(inner, publicId, key)] as const,
  );
  if (entries.every(([name, inner]) => Reflect.get(value, name) === inner)) return value;
  // The entries correspond to those of the value.
  return (Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)) as T;
}

/** The identifier of what an event created. */
export function createdIn({ type, cardPublicId, data }: Event): string | null {
  const [verb, subject] = type.split(".").reverse();
  if (verb !== "created") return null;
  return subject === "card" ? cardPublicId : (Reflect.get(data, `${subject}PublicId`) ?? null);
}
