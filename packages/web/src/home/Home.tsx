import { useQuery } from "@tanstack/react-query";
import { Calendar, FileUp, Plus, Settings, SquareKanban } from "lucide";
import { Link } from "wouter";
import { calendarOf, importInto, settingsOfWorkspace } from "../addresses.js";
import { Page } from "../frame/Frame.js";
import { Mark } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { TryAgain } from "../parts/TryAgain.js";
import { type BoardSummary, ownBoards, type Workspace } from "../session/boards.js";
import { start } from "../session/start.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { BoardTile } from "./BoardTile.js";
import * as styles from "./Home.module.css";
import { NewBoard } from "./NewBoard.js";
import { NewWorkspace } from "./NewWorkspace.js";

/** The boards that the reader opened last, their favourites, and the boards of every workspace. */
export default function Home() {
  const { data: first } = useQuery(start);
  const all = useQuery(ownBoards);
  const { data } = all;
  return (
    <Page heading={texts.home.heading}>
      <div className="scroll">
        <div className="page split" aria-busy={data === undefined && all.error === null}>
          <div className={styles.shortcuts}>
            <Shortcuts name={texts.home.recent} boards={first?.recent} />
            <Shortcuts name={t.home.favourites} boards={first?.favourites} />
          </div>
          <div className={styles.workspaces}>
            <TryAgain of={all} />
            {data?.map(({ workspace, boards }) => (
              <WorkspaceBoards key={workspace.publicId} workspace={workspace} boards={boards} />
            ))}
            {data !== undefined && <NewWorkspace isFirst={data.length === 0} />}
          </div>
        </div>
      </div>
    </Page>
  );
}

/** The most boards of a kind that stand beside those of the workspaces. */
const SHORTCUTS_MAX = 8;

function Shortcuts({ name, boards = [] }: { name: string; boards?: readonly BoardSummary[] | undefined }) {
  if (boards.length === 0) return null;
  return (
    <section aria-label={name}>
      <div className="section-head">
        <h2>{name}</h2>
      </div>
      <ul className="rows">
        {boards.slice(0, SHORTCUTS_MAX).map(({ publicId, name: board, openCards }) => (
          <li className="line" key={publicId}>
            <Icon of={SquareKanban} />
            <Link className="grow truncate" href={`/boards/${publicId}`} dir="auto">
              {board}
            </Link>
            <span className="count">{texts.home.cards(openCards)}</span>
          </li>
        ))}
      </ul>
    </section>
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
        <span className="count">{texts.home.boards(boards.length)}</span>
        {workspace.role !== "guest" && (
          <Link
            className="btn plain s"
            href={importInto(workspace.publicId)}
            aria-label={texts.home.importInto(workspace.name)}
          >
            <Icon of={FileUp} isSmall />
            <span>{texts.home.import}</span>
          </Link>
        )}
        <Link
          className="btn plain icon s"
          href={calendarOf(workspace.publicId)}
          aria-label={texts.calendarOf(workspace.name)}
        >
          <Icon of={Calendar} />
        </Link>
        <Link
          className="btn plain icon s"
          href={settingsOfWorkspace(workspace.publicId)}
          aria-label={t.home.settings(workspace.name)}
        >
          <Icon of={Settings} />
        </Link>
      </div>
      <ul className={styles.tiles}>
        {boards.map((board) => (
          <BoardTile key={board.publicId} board={board} />
        ))}
        {workspace.role !== "guest" && (
          <li>
            <NewBoard workspace={workspace}>
              <Icon of={Plus} />
              <span>{texts.home.newBoard}</span>
            </NewBoard>
          </li>
        )}
      </ul>
    </section>
  );
}
