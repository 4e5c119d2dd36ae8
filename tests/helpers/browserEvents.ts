// The events of a browser's window, in Node.

import { onTestFinished, vi } from "vitest";

/** Gives the global object the events of a window until the test ends, and a function that dispatches them. */
export function browserEvents(navigator: { onLine: boolean } = { onLine: true }) {
  const target = new EventTarget();
  vi.stubGlobal("navigator", navigator);
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("removeEventListener", target.removeEventListener.bind(target));
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    dispatch: (type: string, fields: object = {}) => void target.dispatchEvent(Object.assign(new Event(type), fields)),
  };
}
