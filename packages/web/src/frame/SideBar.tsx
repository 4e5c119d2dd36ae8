import { useQuery } from "@tanstack/react-query";
import { SquareKanban } from "lucide-react";
import { Link, useLocation } from "wouter";
import { Avatar } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { boardsOf, useUser, workspaces } from "../queries.js";
import { t } from "../texts/index.js";
import { AccountMenu } from "./AccountMenu.js";

/** The way to every board, and to one's account. */
export function SideBar() {
  const user = useUser();
  const { data } = useQuery(workspaces);
  return (
    <aside className="side" aria-label={t.frame.sideBar}>
      <div className="side-top">
        <span className="who">
          <span className="logo" aria-hidden="true" />
          {t.product}
        </span>
      </div>
      <nav aria-label={t.frame.main}>
        <Entry href="/" name={t.frame.boards} />
        {data?.map((workspace) => (
          <WorkspaceBoards key={workspace.publicId} publicId={workspace.publicId} name={workspace.name} />
        ))}
      </nav>
      <div className="side-foot">
        <AccountMenu className="who grow">
          <Avatar name={user.name} id={user.publicId} isMe size="s" />
          <span className="truncate">{user.name}</span>
        </AccountMenu>
      </div>
    </aside>
  );
}

function WorkspaceBoards({ publicId, name }: { publicId: string; name: string }) {
  const { data } = useQuery(boardsOf(publicId));
  return (
    <>
      <h2 dir="auto">{name}</h2>
      {data?.map((board) => (
        <Entry key={board.publicId} href={`/boards/${board.publicId}`} name={board.name} />
      ))}
    </>
  );
}

function Entry({ href, name }: { href: string; name: string }) {
  const [location] = useLocation();
  return (
    <Link className="nav" href={href} aria-current={location === href ? "page" : undefined}>
      <Icon of={SquareKanban} />
      <span className="truncate" dir="auto">
        {name}
      </span>
    </Link>
  );
}
