import { useMutation } from "@tanstack/react-query";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { confirm } from "../parts/confirm.js";
import { Reason } from "../parts/Reason.js";
import { Select } from "../parts/Select.js";
import { texts } from "../texts/later.js";
import { privateQuestion, publicQuestion } from "./questions.js";

/** The people who see the board besides its own. Only an admin makes it public. Asks before it becomes private or public. */
export function Visibility() {
  const text = texts.share.visibility;
  const { may } = useShownBoard();
  const change = useChange();
  const board = useBoardState((all) => all);
  const { visibility } = board;
  const options = [
    ["workspace", text.workspace(board.workspace.name)],
    ["private", text.private],
    ...(board.me.role === "admin" || visibility === "public" ? [["public", text.public] as const] : []),
  ] as const;
  const choose = useMutation({
    mutationFn: async (chosen: typeof visibility) => {
      const run = () => change("board.update", { boardPublicId: board.publicId, visibility: chosen });
      if (chosen === "private") confirm({ ...(await privateQuestion(board)), run });
      else if (chosen === "public") confirm({ ...(await publicQuestion(board)), run });
      else run();
    },
  });
  const shown = options.find(([option]) => option === visibility)?.[1] ?? "";
  if (!may("board:edit")) return <p className="hint">{shown}</p>;
  return (
    <>
      <Select name={text.name} value={visibility} options={options} choose={choose.mutate}>
        {shown}
      </Select>
      <Reason of={choose.error} />
    </>
  );
}
