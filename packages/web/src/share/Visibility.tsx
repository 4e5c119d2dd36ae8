import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { Choice } from "../parts/Choice.js";
import { texts } from "../texts/later.js";

/** The people who see the board besides its own. Only an admin makes it public. */
export function Visibility() {
  const text = texts.share.visibility;
  const { may } = useShownBoard();
  const change = useChange();
  const boardPublicId = useBoardState((board) => board.publicId);
  const workspace = useBoardState((board) => board.workspace.name);
  const visibility = useBoardState((board) => board.visibility);
  const role = useBoardState((board) => board.me.role);
  const options = [
    ["workspace", text.workspace(workspace)],
    ["private", text.private],
    ...(role === "admin" || visibility === "public" ? [["public", text.public] as const] : []),
  ] as const;
  if (!may("board:edit")) return <p className="hint">{options.find(([option]) => option === visibility)?.[1]}</p>;
  return (
    <Choice
      name={text.name}
      value={visibility}
      options={options}
      choose={(chosen) => change("board.update", { boardPublicId, visibility: chosen })}
    />
  );
}
