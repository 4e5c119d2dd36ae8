import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Page } from "../frame/Frame.js";
import { Mark } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { type BoardSummary, ownBoards, type Workspace } from "../queries.js";
import { t } from "../texts/index.js";
import { BoardTile } from "./BoardTile.js";
import { NewBoard } from "./NewBoard.js";
import { NewWorkspace } from "./NewWorkspace.js";

/** The boards of every workspace, favourites first. */
export function Home() {
  const { data } = useQuery(ownBoards);
  const favourites = data?.flatMap(({ boards }) => boards.filter((board) => board.isFavourite)) ?? [];
  return (
    <Page heading={t.home.heading}>
      <div className="scroll">
        <div className="page" aria-busy={data === undefined}>
          {favourites.length > 0 && (
            <section aria-labelledby="favourites">
              <div className="section-head">
                <h2 id="favourites">{t.home.favourites}</h2>
              </div>
              <ul className="tiles">
                {favourites.map((board) => (
                  <BoardTile key={board.publicId} board={board} />
                ))}
              </ul>
            </section>
          )}
          {data?.map(({ workspace, boards }) => (
            <WorkspaceBoards key={workspace.publicId} workspace={workspace} boards={boards} />
          ))}
          {data !== undefined && <NewWorkspace isFirst={data.length === 0} />}
        </div>
      </div>
    </Page>
  );
}

function WorkspaceBoards({ workspace, boards }: { workspace: Workspace; boards: readonly BoardSummary[] }) {
  return (
    <section aria-label={workspace.name}>
      <div className="section-head">
        <Mark name={workspace.name} id={workspace.publicId} />
        <h2 className="truncate" dir="auto">
          {workspace.name}
        </h2>
        <span className="count">{t.home.boards(boards.length)}</span>
      </div>
      <ul className="tiles">
        {boards.map((board) => (
          <BoardTile key={board.publicId} board={board} />
        ))}
        {workspace.role !== "guest" && (
          <li>
            <NewBoard workspace={workspace}>
              <Icon of={Plus} />
              {t.home.newBoard}
            </NewBoard>
          </li>
        )}
      </ul>
    </section>
  );
}
