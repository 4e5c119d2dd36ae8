import { Star } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useBoard } from "work-board-client/react";
import { failureOf } from "../client.js";
import { Missing } from "../NotFound.js";
import { Icon } from "../parts/Icon.js";
import { later } from "../parts/later.js";
import { boardIs, boardOpened, boardsChanged } from "../queries.js";
import { ShareButton } from "../share/ShareButton.js";
import { t } from "../texts/index.js";
import { Connection } from "./Connection.js";
import { BoardContext, type ShownBoard, useBoardState, useShownBoard } from "./context.js";
import { followed } from "./followed.js";
import { Lists } from "./Lists.js";
import { Announcements } from "./moving/Announcements.js";
import { Name } from "./Name.js";
import { Skeleton } from "./Skeleton.js";
import { Toasts } from "./Toasts.js";

const CardDialog = later(() => import("../card/CardDialog.js"));

/** A board, live, and a card over it. */
export function BoardPage({ boardPublicId, cardPublicId }: { boardPublicId: string; cardPublicId: string | null }) {
  const board = useMemo(() => followed(boardPublicId), [boardPublicId]);
  const status = useBoard(board, (state) => state.status);
  const error = useBoard(board, (state) => state.error);
  const isRead = useBoard(board, (state) => state.board !== null);
  const me = useBoard(board, (state) => state.board?.me);
  const shown = useMemo((): ShownBoard => {
    const may: ShownBoard["may"] = (permission) => me?.permissions.includes(permission) === true;
    return { followed: board, may, meId: me?.memberPublicId };
  }, [board, me]);
  useEffect(() => {
    void boardOpened(boardPublicId).catch(() => {});
  }, [boardPublicId]);
  useEffect(() => {
    if (isRead) void CardDialog.preload();
  }, [isRead]);
  if (status === "ended") return <Missing heading={t.board.gone} text={failureOf(error).text} />;
  if (!isRead) return <Skeleton />;
  return (
    <BoardContext value={shown}>
      <Board />
      {cardPublicId === null && <Toasts />}
      {cardPublicId !== null && <CardDialog key={cardPublicId} cardPublicId={cardPublicId} />}
    </BoardContext>
  );
}

function Board() {
  const { followed: board, may } = useShownBoard();
  const name = useBoardState((state) => state.name);
  const workspace = useBoardState((state) => state.workspace.name);
  const isFavourite = useBoardState((state) => state.isFavourite);
  const boardPublicId = useBoardState((state) => state.publicId);
  // The side bar and home show names of boards, too.
  useEffect(() => boardIs({ publicId: boardPublicId, name, isFavourite }), [boardPublicId, name, isFavourite]);
  const change = (fields: { name?: string; isFavourite?: boolean }) =>
    void board.change("board.update", { boardPublicId, ...fields }).then(boardsChanged, () => {});
  return (
    <main className="main" id="content">
      <title>{t.title(name)}</title>
      <header className="head">
        <nav className="crumbs" aria-label={t.board.breadcrumb}>
          <span className="up truncate" dir="auto">
            {workspace}
          </span>
          <span className="sep up" aria-hidden="true">
            /
          </span>
        </nav>
        <Name
          as="h1"
          name={name}
          label={t.board.nameOfBoard}
          canEdit={may("board:edit")}
          save={(next) => change({ name: next })}
        />
        <button
          type="button"
          className="btn plain icon s favourite"
          aria-pressed={isFavourite}
          aria-label={t.board.favourite}
          onClick={() => change({ isFavourite: !isFavourite })}
        >
          <Icon of={Star} isFilled={isFavourite} />
        </button>
        <span className="grow" />
        <Connection />
        <ShareButton />
      </header>
      <Lists />
      <Announcements />
    </main>
  );
}
