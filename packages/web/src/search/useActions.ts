import { useQuery } from "@tanstack/react-query";
import { Bell, Calendar, House, type IconNode, Keyboard, LogOut, Plus, Settings, SquareKanban } from "lucide";
import type { FollowedBoard } from "work-board-client/board";
import { calendarOf } from "../addresses.js";
import { client } from "../client.js";
import { boardsChanged } from "../session/boards.js";
import { signOut } from "../session/session.js";
import { start } from "../session/start.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { chooseTheme, THEMES } from "../theme.js";
import { hasWords, wordsOf } from "./words.js";

/** The name of an action. */
interface Named {
  name: string;
  icon: IconNode;
  /** The key that does the same. */
  key?: string;
}

/** Something to do. */
interface Command extends Named {
  run: () => void;
}

/** Something to make: resolves with the address at which it is shown. Enter alone must not make it before it was chosen. */
export interface Maker extends Named {
  make: () => Promise<string>;
}

export type Action = Command | Maker;

interface Doing {
  go: (address: string) => void;
  openKeys: () => void;
}

/** The actions that make something of the text itself. */
function makers(text: string, here: FollowedBoard | undefined, workspaces: readonly Place[]): Maker[] {
  const board = here?.state().board;
  const [list] = board?.lists ?? [];
  const workspace = workspaces.find(({ publicId }) => publicId === board?.workspace.publicId) ?? workspaces[0];
  const canMake = workspace?.me.permissions.includes("board:create") === true;
  return [
    ...(here !== undefined && list !== undefined && board?.me.permissions.includes("card:create")
      ? [
          {
            name: texts.search.newCard(text, list.name),
            icon: Plus,
            make: async () => {
              void here.change("card.create", { listPublicId: list.publicId, title: text }).catch(() => {});
              return `/boards/${board.publicId}`;
            },
          },
        ]
      : []),
    ...(workspace !== undefined && canMake
      ? [
          {
            name: texts.search.newBoard(text, workspace.name),
            icon: SquareKanban,
            make: () => makeBoard(workspace.publicId, text),
          },
        ]
      : []),
  ];
}

type Place = { publicId: string; name: string; me: { permissions: readonly string[] } };

async function makeBoard(workspacePublicId: string, name: string): Promise<string> {
  const { publicId } = await client.board.create.mutate({ workspacePublicId, name, lists: texts.home.lists });
  void boardsChanged();
  return `/boards/${publicId}`;
}

/** The actions whose words a text begins, and those that make something of it. */
export function useActions(text: string, here: FollowedBoard | undefined, doing: Doing): Action[] {
  const { data } = useQuery(start);
  const workspaces = data?.workspaces ?? [];
  const { go, openKeys } = doing;
  const standing: Command[] = [
    { name: texts.search.home, icon: House, run: () => go("/") },
    { name: t.frame.notifications, icon: Bell, run: () => go("/notifications") },
    ...workspaces.map(({ publicId, name }) => ({
      name: texts.calendarOf(name),
      icon: Calendar,
      run: () => go(calendarOf(publicId)),
    })),
    { name: texts.search.keys, icon: Keyboard, key: "?", run: openKeys },
    ...THEMES.map(([one, icon]) => ({
      name: texts.search.theme(t.theme[one]),
      icon,
      run: () => chooseTheme(one),
    })),
    { name: t.frame.settings, icon: Settings, run: () => go("/settings/account") },
    { name: t.frame.signOut, icon: LogOut, run: () => void signOut() },
  ];
  const words = wordsOf(text);
  const fitting = standing.filter(({ name }) => hasWords(name, words));
  return text === "" ? fitting : [...fitting, ...makers(text, here, workspaces)];
}
