// The storage of browsers for the queues of replicas.

import type { BoardStorage } from "./storedQueue.js";

interface IdbRequest {
  readonly result: unknown;
  onsuccess: (() => void) | null;
}
interface IdbStore {
  get(key: string): IdbRequest;
  delete(key: string): IdbRequest;
  put(value: unknown, key: string): IdbRequest;
}
interface IdbTransaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): IdbStore;
  commit(): void;
}
interface IdbDatabase {
  transaction(store: string, mode: "readonly" | "readwrite"): IdbTransaction;
  createObjectStore(name: string): unknown;
}
interface IdbOpening {
  readonly result: IdbDatabase;
  readonly error: unknown;
  onupgradeneeded: (() => void) | null;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}
/** The part of IndexedDB that is used: this package is compiled without the types of browsers. */
interface Globals {
  indexedDB?: { open(name: string, version: number): IdbOpening };
  localStorage?: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}
const browser: Globals = Object(globalThis);

const STORE = "entries";

const open = (name: string): Promise<IdbDatabase> =>
  new Promise((resolve, reject) => {
    const { indexedDB } = browser;
    if (indexedDB === undefined) return reject(new Error("There is no IndexedDB"));
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Uses `localStorage`, which throws where it is disabled or full. Returns null then. */
function local<T>(run: (storage: NonNullable<Globals["localStorage"]>) => T): T | null {
  try {
    return browser.localStorage ? run(browser.localStorage) : null;
  } catch {
    return null;
  }
}

/** A storage in the IndexedDB of the browser, with marks of tabs that were left in its `localStorage`. Each asynchronous call rejects where there is none. */
export function indexedDb(name = "work-board"): BoardStorage {
  let opening: Promise<IdbDatabase> | null = null;
  const use = async (run: (store: IdbStore) => IdbRequest): Promise<unknown> => {
    try {
      opening ??= open(name);
      const transaction = (await opening).transaction(STORE, "readwrite");
      return await new Promise((resolve, reject) => {
        const request = run(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
        // A page that is being left does not live until a transaction commits by itself, which one that goes on to write has to.
        if (request.onsuccess === null) transaction.commit();
      });
    } catch (error) {
      opening = null;
      throw error;
    }
  };
  const markOf = (key: string) => `${name} left ${key}`;
  return {
    leave: (key) => void local((storage) => storage.setItem(markOf(key), "")),
    takeLeft(key) {
      const isLeft = local((storage) => storage.getItem(markOf(key))) !== null;
      if (isLeft) local((storage) => storage.removeItem(markOf(key)));
      return isLeft;
    },
    get: (key) => use((store) => store.get(key)),
    set: (key, value) => use((store) => store.put(value, key)),
    delete: (key) => use((store) => store.delete(key)),
    update: (key, to) =>
      use((store) => {
        const request = store.get(key);
        request.onsuccess = () => store.put(to(request.result), key);
        return request;
      }),
  };
}
