import { useSyncExternalStore } from "react";

/** A value that components share and that belongs to no board, such as what is being moved. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls a function after each change. Returns a function that ends that. */
  subscribe(listener: () => void): () => void;
}

export function storeOf<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The part of a stored value that `select` takes: a plain value, or a part as it is. */
export const useStore = <T, Part>(store: Store<T>, select: (value: T) => Part): Part =>
  useSyncExternalStore(store.subscribe, () => select(store.get()));
