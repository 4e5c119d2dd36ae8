import { Star } from "lucide";
import { useEffect, useRef } from "react";
import { useOpened } from "../frame/opened.js";
import { TabTitle } from "../frame/TabTitle.js";
import { Icon } from "../parts/Icon.js";
import { afterPaint, lazyComponent, preloadAfterPaint } from "../parts/lazyComponent.js";
import { boardOpened, boardsChanged, noteBoard } from "../session/boards.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import * as styles from "./Board.module.css";
import { BoardMenu } from "./BoardMenu.js";
import { Connection } from "./Connection.js";
import { useBoardState, useShownBoard } from "./context.js";
import { useFilter } from "./filter/context.js";
import { FilterButton } from "./filter/FilterButton.js";
import { countOf } from "./filter/filter.js";
import { WithFilter } from "./filter/WithFilter.js";
import { Lists } from "./Lists.js";
import { Name } from "./Name.js";
import { Selected } from "./selection/Selected.js";
import { useSlots } from "./slots.js";
import { Toasts } from "./Toasts.js";
import { WithBoard } from "./WithBoard.js";

const ActiveFilters = lazyComponent(() => import("./filter/ActiveFilters.js"));
const ArchivedBanner = lazyComponent(() => import("./ArchivedBanner.js"));
const KeyLine = lazyComponent(() => import("./KeyLine.js"));

/** A board, live, and a card over it. */
export function BoardPage({ boardPublicId, cardPublicId }: { boardPublicId: string; cardPublicId: string | null }) {
  // The service reads the board first.
  useEffect(() => afterPaint(() => void boardOpened(boardPublicId).catch(() => {})), [boardPublicId]);
  return (
    <WithBoard boardPublicId={boardPublicId}>
      <WithFilter isCardOpen={cardPublicId !== null}>
        <Board />
        {cardPublicId === null && <Toasts />}
        <OpenCard cardPublicId={cardPublicId} />
      </WithFilter>
    </WithBoard>
  );
}

/** The card over the board, whose code is loaded once the board stands. */
function OpenCard({ cardPublicId }: { cardPublicId: string | null }) {
  const { CardDialog } = useSlots();
  useEffect(() => preloadAfterPaint(CardDialog), [CardDialog]);
  return cardPublicId === null ? null : <CardDialog key={cardPublicId} cardPublicId={cardPublicId} />;
}

function Board() {
  const { followed: board, open, may } = useShownBoard();
  const { ShareButton } = useSlots();
  const name = useBoardState((state) => state.name);
  const workspace = useBoardState((state) => state.workspace.name);
  const isArchived = useBoardState((state) => state.isArchived);
  const isFavourite = useBoardState((state) => state.isFavourite);
  const boardPublicId = useBoardState((state) => state.publicId);
  // It also says how many cards there are once nothing is filtered any more.
  const wasFiltered = useRef(false);
  wasFiltered.current ||= countOf(useFilter()) > 0;
  const isByKeys = useStore(open.isKeyboardNavigating, (value) => value);
  useOpened(name);
  useEffect(() => preloadAfterPaint(KeyLine), []);
  // The side bar and home show names of boards, too.
  useEffect(() => noteBoard({ publicId: boardPublicId, name, isFavourite }), [boardPublicId, name, isFavourite]);
  const change = (fields: { name?: string; isFavourite?: boolean }) =>
    void board.change("board.update", { boardPublicId, ...fields }).then(boardsChanged, () => {});
  return (
    <main className={isByKeys ? "main is-by-keys" : "main"} id="content">
      <TabTitle of={name} />
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
          className={`btn plain icon s ${styles.favourite}`}
          aria-pressed={isFavourite}
          aria-label={t.board.favourite}
          onClick={() => change({ isFavourite: !isFavourite })}
        >
          <Icon of={Star} isFilled={isFavourite} />
        </button>
        <span className="grow" />
        <Connection />
        <FilterButton />
        <ShareButton />
        <BoardMenu />
      </header>
      {isArchived && <ArchivedBanner />}
      {wasFiltered.current && <ActiveFilters />}
      <Lists />
      <Selected />
      {isByKeys && <KeyLine canEdit={may("card:edit")} close={open.endKeyboardNavigation} />}
    </main>
  );
}
