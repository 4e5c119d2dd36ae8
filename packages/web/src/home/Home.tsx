import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { Link } from "wouter";
import { Page } from "../frame/Frame.js";
import { Mark } from "../parts/Avatar.js";
import { colourVariable } from "../parts/colours.js";
import { Icon } from "../parts/Icon.js";
import { boardsOf, workspaces } from "../queries.js";
import { t } from "../texts/index.js";

/** The boards of every workspace. */
export function Home() {
  const { data } = useQuery(workspaces);
  return (
    <Page heading={t.home.heading}>
      <div className="scroll">
        <div className="page">
          {data?.map((workspace) => (
            <Workspace key={workspace.publicId} publicId={workspace.publicId} name={workspace.name} />
          ))}
        </div>
      </div>
    </Page>
  );
}

function Workspace({ publicId, name }: { publicId: string; name: string }) {
  const { data } = useQuery(boardsOf(publicId));
  return (
    <section aria-label={name}>
      <div className="section-head">
        <Mark name={name} id={publicId} />
        <h2 dir="auto">{name}</h2>
        {data && <span className="count">{t.home.boards(data.length)}</span>}
      </div>
      <ul className="tiles">
        {data?.map((board) => (
          <li key={board.publicId}>
            <Link className="tile" href={`/boards/${board.publicId}`}>
              <span className="top">
                <b dir="auto">{board.name}</b>
                {board.visibility === "private" && <Icon of={Lock} isSmall />}
              </span>
              <span className="chips">
                {board.tags.map((tag) => (
                  <span key={tag.publicId} className="chip label tint" style={colourVariable(tag.colourCode)}>
                    {tag.name}
                  </span>
                ))}
              </span>
              <span className="count">{t.home.cards(board.openCards)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
