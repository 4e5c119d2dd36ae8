import { type ReactNode, useEffect, useMemo } from "react";
import { useBoard } from "work-board-client/react";
import { failureOf } from "../client.js";
import { UnavailablePage } from "../frame/UnavailablePage.js";
import { boardsChanged } from "../session/boards.js";
import { checkSession } from "../session/session.js";
import { t } from "../texts/index.js";
import { BoardContext, type ShownBoard } from "./context.js";
import { followed, isSignedOut } from "./followed.js";
import { openBoardOf } from "./openBoard.js";
import { Skeleton } from "./Skeleton.js";

/** Follows a board for what shows it: a skeleton until it was read, and a page that says so if it cannot be. */
export function WithBoard({ boardPublicId, children }: { boardPublicId: string; children: ReactNode }) {
  const board = useMemo(() => followed(boardPublicId), [boardPublicId]);
  const isOut = useBoard(board, isSignedOut);
  const isGone = useBoard(board, (state) => state.status === "ended" && !isSignedOut(state));
  const error = useBoard(board, (state) => state.error);
  const isRead = useBoard(board, (state) => state.board !== null);
  const me = useBoard(board, (state) => state.board?.me);
  const shown = useMemo((): ShownBoard => {
    const may: ShownBoard["may"] = (permission) => me?.permissions.includes(permission) === true;
    return { followed: board, open: openBoardOf(board), may, meId: me?.memberPublicId };
  }, [board, me]);
  // Only the board learns that its stream has ended.
  useEffect(() => {
    if (isOut) checkSession();
  }, [isOut]);
  useEffect(() => {
    if (isGone) void boardsChanged();
  }, [isGone]);
  if (isGone) return <UnavailablePage heading={t.board.gone} text={failureOf(error).text} />;
  if (!isRead) return <Skeleton />;
  return <BoardContext value={shown}>{children}</BoardContext>;
}
