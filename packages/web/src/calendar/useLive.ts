import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../client.js";
import { isSessionOver } from "../requests.js";
import { ownBoards } from "../session/boards.js";
import { useStore } from "../store.js";
import { readCardsAgain } from "./queries.js";

/** A stream follows so many boards. */
const BOARDS_MAX = 50;
/** Events that come together are followed by one reading. */
const GATHER_MS = 100;

/** The events that may change which cards are due, and what is shown of them. */
const ABOUT_CARDS = /^(?:card|list|board)\./;

/** Reads the cards of a calendar again whenever one of its boards changes. Returns a function that ends that. */
function follow(workspacePublicId: string, boards: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      readCardsAgain(workspacePublicId);
    }, GATHER_MS);
  };
  const stream = client.user.stream.subscribe(
    { boards },
    {
      onData: ({ data }) => {
        if (data.type !== "event" || ABOUT_CARDS.test(data.event.type)) changed();
      },
      // Something may have changed between reading and following.
      onConnectionStateChange: ({ state }) => state === "pending" && changed(),
    },
  );
  return () => {
    clearTimeout(timer);
    stream.unsubscribe();
  };
}

function onVisibility(listener: () => void) {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Keeps the cards of a calendar current. A hidden page gives the connection back, because a browser has few. */
export function useLive(workspacePublicId: string): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");
  const isOver = useStore(isSessionOver, (value) => value);
  const { data } = useQuery(ownBoards);
  const own = data?.find(({ workspace }) => workspace.publicId === workspacePublicId)?.boards ?? [];
  const boards = own.map(({ publicId }) => publicId).slice(0, BOARDS_MAX);
  const ids = boards.join(",");
  useEffect(
    () => (ids === "" || !isVisible || isOver ? undefined : follow(workspacePublicId, ids)),
    [workspacePublicId, ids, isVisible, isOver],
  );
}
