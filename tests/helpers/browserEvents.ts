// The events of a browser's window and its page, in Node.

import { onTestFinished, vi } from "vitest";

/** Gives the global object the events of a window until the test ends, and a function that dispatches them. */
export function browserEvents(navigator: { onLine: boolean } = { onLine: true }) {
  const target = new EventTarget();
  vi.stubGlobal("navigator", navigator);
  const listeners = {
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
  };
  for (const [name, value] of Object.entries(listeners)) vi.stubGlobal(name, value);
  vi.stubGlobal("document", { ...listeners, visibilityState: "visible" });
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    dispatch: (type: string, fields: object = {}) => void target.dispatchEvent(Object.assign(new Event(type), fields)),
  };
}
