// Browsers report changes of the network and the page, after which connections may be dead, or possible again.

/** `online`: the network is back; `offline`: it is gone; `resumed`: a page that was frozen goes on; `visible`: it is shown again. */
export type Change = "online" | "offline" | "resumed" | "visible";

type Listeners = Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** The globals of browsers that the client uses. Workers have some of them, and Node none. */
interface Globals extends Listeners {
  document?: Listeners & { visibilityState: string };
  navigator?: { onLine?: boolean };
  location?: { href: string };
  reportError?(error: unknown): void;
}

export const globals: Globals = Object(globalThis);

/** Calls code of the user. An exception is reported as those that nobody catches are, and ends nothing. */
export function reported(call: () => void): void {
  try {
    call();
  } catch (error) {
    if (globals.reportError === undefined) console.error(error);
    else globals.reportError(error);
  }
}

/** Whether there may be a network. Unknown outside of browsers, where there is taken to be one. */
export const isOnline = (): boolean => globals.navigator?.onLine !== false;

/** Calls a function after each such change, until the function that it returns is called. Outside of browsers nothing is reported. */
export function onNetworkChange(notify: (change: Change) => void): () => void {
  const page = globals.document;
  const listeners: [Listeners | undefined, string, (event: Event) => void][] = [
    [globals, "online", () => notify("online")],
    [globals, "offline", () => notify("offline")],
    [globals, "pageshow", (event) => "persisted" in event && event.persisted === true && notify("resumed")],
    [page, "visibilitychange", () => page?.visibilityState === "visible" && notify("visible")],
  ];
  for (const [from, type, listener] of listeners) from?.addEventListener?.(type, listener);
  return () => {
    for (const [from, type, listener] of listeners) from?.removeEventListener?.(type, listener);
  };
}

/** Whether a response asks to wait. */
export const hasRetryAfter = (response?: Response): boolean => response?.headers.has("retry-after") === true;

/**
 * Waits for so long, or until the signal aborts, or until a network change wakes it, unless a response asked for the wait or there is
 * no network. Never rejects.
 */
export function pause(ms: number, signal: AbortSignal, response?: Response): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = onNetworkChange(() => isOnline() && !hasRetryAfter(response) && end());
    signal.addEventListener("abort", end);
  });
}

/** No wait is longer, in milliseconds. */
export const LONGEST_MS = 60_000;

/** The wait before a further try: twice as long after each, or as the response asks, and a random part more. */
export function waitMs(tries: number, firstMs: number, response?: Response): number {
  const asked = Number(response?.headers.get("retry-after") ?? 0) * 1000;
  const least = Math.max(firstMs * 2 ** tries, Number.isFinite(asked) ? asked : 0);
  return Math.min(LONGEST_MS, least * (1 + Math.random() / 2));
}
