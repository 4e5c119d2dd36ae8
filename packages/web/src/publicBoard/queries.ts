// A public board, as the service gives it to anybody.

import { queryOptions } from "@tanstack/react-query";
import { client, type RouterOutputs } from "../client.js";

type Board = RouterOutputs["board"]["getPublic"];
export type Card = Board["lists"][number]["cards"][number];

/** Strangers have no stream of a board: it is read again while it is shown. */
const REFRESH_MS = 60_000;

const publicBoardKeys = { board: (boardPublicId: string) => ["publicBoard", boardPublicId] };

export const publicBoard = (boardPublicId: string) =>
  queryOptions({
    queryKey: publicBoardKeys.board(boardPublicId),
    queryFn: ({ signal }): Promise<Board> => client.board.getPublic.query({ boardPublicId }, { signal }),
    refetchInterval: REFRESH_MS,
  });
