import { useSyncExternalStore } from "react";

function onNetwork(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Whether the browser reports a network connection. */
export const useIsOnline = (): boolean => useSyncExternalStore(onNetwork, () => navigator.onLine);
