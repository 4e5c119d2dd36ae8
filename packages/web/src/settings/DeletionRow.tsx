import { useLocation } from "wouter";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { RowText } from "../parts/RowText.js";
import { boardsChanged } from "../session/boards.js";

interface Props {
  /** The name of the board or workspace, which must be typed first. */
  name: string;
  text: { delete: string; deleteText: string; deleteHint: string; deleteAsks: (name: string) => string };
  remove: () => Promise<unknown>;
}

/** Deletes a board or a workspace for good, and leads home. */
export function DeletionRow({ name, text, remove }: Props) {
  const [, navigate] = useLocation();
  const run = async () => {
    await remove();
    navigate("/");
    await boardsChanged();
  };
  return (
    <div className="line tall">
      <RowText text={text.deleteText} hint={text.deleteHint} />
      <ConfirmButton
        className="btn danger"
        heading={text.deleteAsks(name)}
        text={text.deleteHint}
        action={text.delete}
        typed={name}
        run={run}
      >
        {text.delete}
      </ConfirmButton>
    </div>
  );
}
