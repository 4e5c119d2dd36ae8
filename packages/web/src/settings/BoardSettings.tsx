// The settings of a board. Loaded when they are first shown.

import { Archive, Download, House, type IconNode, Tag, Users } from "lucide";
import type { ReactNode } from "react";
import type { Permission } from "work-board-client";
import { Link } from "wouter";
import { settingsOfBoard } from "../addresses.js";
import { useBoardState, useShownBoard } from "../board/context.js";
import { WithBoard } from "../board/WithBoard.js";
import { SettingsFrame } from "../frame/SettingsFrame.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { BoardArchive } from "./BoardArchive.js";
import { BoardExport } from "./BoardExport.js";
import { BoardGeneral } from "./BoardGeneral.js";
import { BoardLabels } from "./BoardLabels.js";
import { BoardMembers } from "./BoardMembers.js";

interface Section {
  path: "general" | "members" | "labels" | "export" | "archive";
  icon: IconNode;
  needs: Permission;
  Content: () => ReactNode;
}

const SECTIONS: readonly Section[] = [
  { path: "general", icon: House, needs: "board:edit", Content: BoardGeneral },
  { path: "members", icon: Users, needs: "board:view", Content: BoardMembers },
  { path: "labels", icon: Tag, needs: "board:edit", Content: BoardLabels },
  { path: "export", icon: Download, needs: "board:view", Content: BoardExport },
  { path: "archive", icon: Archive, needs: "board:edit", Content: BoardArchive },
];

interface Props {
  boardPublicId: string;
  section: string | undefined;
}

/** The sections that the reader may use, and one of them: the first unless the address names another. */
export default function BoardSettings({ boardPublicId, section }: Props) {
  return (
    <WithBoard boardPublicId={boardPublicId}>
      <Settings section={section} />
    </WithBoard>
  );
}

function Settings({ section }: Pick<Props, "section">) {
  const { may } = useShownBoard();
  const name = useBoardState((board) => board.name);
  const boardPublicId = useBoardState((board) => board.publicId);
  return (
    <SettingsFrame
      heading={t.home.settings(name)}
      name={name}
      sections={SECTIONS.filter(({ needs }) => may(needs))}
      names={texts.settings.boardSections}
      hrefOf={(path) => settingsOfBoard(boardPublicId, path)}
      current={section}
    >
      {({ Content }) => (
        <>
          <p>
            <Link className="link" href={`/boards/${boardPublicId}`}>
              {texts.settings.board.back}
            </Link>
          </p>
          <Content />
        </>
      )}
    </SettingsFrame>
  );
}
