// The results of a query: cards of the open board at once, and those of all workspaces when the service answers; boards by their names.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { FollowedBoard } from "work-board-client/board";
import { type BoardSummary, ownBoards, workspaceSettings } from "../session/boards.js";
import { start } from "../session/start.js";
import { CARDS_MAX, search } from "./queries.js";
import { hasWords, quotedCard, wordsOf } from "./words.js";

export interface FoundCard {
  publicId: string;
  title: string;
  /** `WB-12`. */
  key: string;
  boardName: string;
}

export interface FoundBoard extends BoardSummary {
  workspaceName: string;
}

const PAUSE_MS = 120;
const BOARDS_MAX = 6;
/** As many of the open board come before those that the service finds. */
const CARDS_HERE_MAX = 6;
/** As many searches as share a request. */
const WORKSPACES_MAX = 10;

/** A value once it stayed the same for a moment. */
function useSteady(value: string): string {
  const [steady, setSteady] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSteady(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return steady;
}

/** The cards of the open board that a query finds. */
function cardsOn(board: FollowedBoard | undefined, query: string): FoundCard[] {
  const state = board?.state().board;
  if (!state) return [];
  const { cardPrefix } = state.workspace;
  const quoted = quotedCard(query);
  const words = wordsOf(query);
  return Object.values(state.cards)
    .filter(({ title, cardNumber, isGone }) =>
      quoted === null
        ? !isGone && hasWords(title, words)
        : cardNumber === quoted.number && cardPrefix === quoted.prefix,
    )
    .slice(0, CARDS_HERE_MAX)
    .map(({ publicId, title, cardNumber }) => ({
      publicId,
      title,
      key: `${cardPrefix}-${cardNumber}`,
      boardName: state.name,
    }));
}

/** The results of a query, best first. `isAnswered`: the service has answered it; `error`: why it did not. */
export function useFound(query: string, here: FollowedBoard | undefined) {
  const { data: first, error } = useQuery(start);
  const { data: boards } = useQuery(ownBoards);
  const wanted = query.trim();
  const steady = useSteady(wanted);
  const workspaces = first?.workspaces.slice(0, WORKSPACES_MAX) ?? [];
  const settings = useQueries({ queries: workspaces.map(({ publicId }) => workspaceSettings(publicId)) });
  const answers = useQueries({ queries: workspaces.map(({ publicId }) => search(publicId, steady)) });
  const found = answers.flatMap(({ data }, index) => {
    const prefix = settings[index]?.data?.cardPrefix ?? "";
    return (data?.items ?? []).flatMap(({ type, publicId, title, cardNumber, boardName }) =>
      type === "board" ? [] : [{ publicId, title, key: `${prefix}-${cardNumber}`, boardName }],
    );
  });
  const words = wordsOf(wanted);
  const cards = new Map<string, FoundCard>();
  if (wanted !== "") {
    for (const card of [...cardsOn(here, wanted), ...found])
      if (!cards.has(card.publicId)) cards.set(card.publicId, card);
  }
  const named =
    boards?.flatMap(({ workspace, boards: all }) => all.map((one) => ({ ...one, workspaceName: workspace.name }))) ??
    [];
  const recent = first?.recent.flatMap(({ publicId }) => named.find((one) => one.publicId === publicId) ?? []) ?? [];
  return {
    cards: [...cards.values()].slice(0, CARDS_MAX),
    boards: (wanted === "" ? recent : named.filter(({ name }) => hasWords(name, words))).slice(0, BOARDS_MAX),
    isAnswered:
      steady === wanted &&
      first !== undefined &&
      answers.every(({ isSuccess, isFetching }) => isSuccess && !isFetching),
    error: answers.find((answer) => answer.error)?.error ?? error,
  };
}
