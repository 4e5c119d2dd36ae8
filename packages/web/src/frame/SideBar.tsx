import { useQuery } from "@tanstack/react-query";
import { Calendar, House, type IconNode, PanelLeft, Search, Settings, SquareKanban } from "lucide";
import { Link, useLocation } from "wouter";
import { calendarOf, settingsOfWorkspace } from "../addresses.js";
import { ctrl } from "../keys/caps.js";
import { Avatar } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { type BoardSummary, ownBoards } from "../session/boards.js";
import { start } from "../session/start.js";
import { useUser } from "../session/user.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { AccountMenu } from "./AccountMenu.js";
import * as styles from "./Frame.module.css";
import { foldSideBar, isFolded } from "./folding.js";
import { NotificationsLink } from "./NotificationsLink.js";
import { useOverlays } from "./overlays.js";

/** The way to every board, and to one's account. */
export function SideBar() {
  const user = useUser();
  const { data } = useQuery(ownBoards);
  const { data: first } = useQuery(start);
  const favourites = first?.favourites ?? [];
  const { openSearch } = useOverlays();
  return (
    <aside className={styles.side} aria-label={t.frame.sideBar}>
      <div className={styles.top}>
        <span className="who">
          <span className="logo" aria-hidden="true" />
          <span>{t.product}</span>
        </span>
        <FoldButton />
      </div>
      <nav aria-label={t.frame.main}>
        <button type="button" className={`${styles.nav} find`} aria-haspopup="dialog" onClick={openSearch}>
          <Icon of={Search} />
          <span className="truncate">{t.frame.search}</span>
          <span className="keys" aria-hidden="true">
            <kbd>{`${ctrl} K`}</kbd>
          </span>
        </button>
        <Entry href="/" name={t.frame.boards} icon={House} />
        <NotificationsLink className={styles.nav} />
        {favourites.length > 0 && <Boards heading={t.home.favourites} boards={favourites} />}
        {data?.map(({ workspace, boards }) => (
          <Boards
            key={workspace.publicId}
            heading={workspace.name}
            boards={boards.filter((one) => !one.isFavourite)}
            workspacePublicId={workspace.publicId}
          />
        ))}
      </nav>
      <div className={styles.foot}>
        <AccountMenu className="who grow">
          <Avatar name={user.name} isMe size="s" />
          <span className="truncate">{user.name}</span>
        </AccountMenu>
      </div>
    </aside>
  );
}

function FoldButton() {
  const isClosed = useStore(isFolded, (value) => value);
  return (
    <button
      type="button"
      className="btn plain icon"
      aria-label={t.frame.fold}
      aria-expanded={!isClosed}
      title={`${t.frame.fold} (S)`}
      onClick={foldSideBar}
    >
      <Icon of={PanelLeft} />
    </button>
  );
}

interface BoardsProps {
  heading: string;
  boards: readonly BoardSummary[];
  /** The workspace to whose settings and calendar it leads. */
  workspacePublicId?: string;
}

function Boards({ heading, boards, workspacePublicId }: BoardsProps) {
  return (
    <>
      <div className={styles.heading}>
        <h2 className="truncate" dir="auto">
          {heading}
        </h2>
        {workspacePublicId !== undefined && (
          <Link
            className="btn plain icon s"
            href={settingsOfWorkspace(workspacePublicId)}
            aria-label={t.home.settings(heading)}
          >
            <Icon of={Settings} isSmall />
          </Link>
        )}
      </div>
      {workspacePublicId !== undefined && (
        <Entry href={calendarOf(workspacePublicId)} name={t.frame.calendar} icon={Calendar} />
      )}
      {boards.map(({ publicId, name }) => (
        <Entry key={publicId} href={`/boards/${publicId}`} name={name} icon={SquareKanban} />
      ))}
    </>
  );
}

function Entry({ href, name, icon }: { href: string; name: string; icon: IconNode }) {
  const [location] = useLocation();
  return (
    <Link className={styles.nav} href={href} aria-current={location === href ? "page" : undefined}>
      <Icon of={icon} />
      <span className="truncate" dir="auto">
        {name}
      </span>
    </Link>
  );
}
