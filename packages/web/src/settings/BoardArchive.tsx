import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { useBoardState, useShownBoard } from "../board/context.js";
import { client } from "../client.js";
import { AskButton } from "../parts/AskButton.js";
import { Reason } from "../parts/Reason.js";
import { Section } from "../parts/Section.js";
import { boardsChanged } from "../queries.js";
import { texts } from "../texts/later.js";

/** Archiving a board, restoring it, and deleting it for good. */
export function BoardArchive() {
  const text = texts.settings.board;
  const [, navigate] = useLocation();
  const { may } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  const name = useBoardState((board) => board.name);
  const isArchived = useBoardState((board) => board.isArchived);
  const archive = useMutation({
    mutationFn: () =>
      isArchived ? client.board.unarchive.mutate({ boardPublicId }) : client.board.archive.mutate({ boardPublicId }),
    onSettled: boardsChanged,
  });
  const remove = async () => {
    await client.board.delete.mutate({ boardPublicId });
    navigate("/");
    await boardsChanged();
  };
  return (
    <Section heading={texts.settings.boardSections.archive}>
      <div className="rows">
        <div className="line tall">
          <div className="grow">
            {isArchived ? text.isArchived : text.archiveText}
            <br />
            <span className="hint">{text.archiveHint}</span>
            <Reason of={archive.error} />
          </div>
          <button className="btn" type="button" disabled={archive.isPending} onClick={() => archive.mutate()}>
            {isArchived ? text.restore : text.archive}
          </button>
        </div>
        {may("board:delete") && (
          <div className="line tall">
            <span className="grow">
              {text.deleteText}
              <br />
              <span className="hint">{text.deleteHint}</span>
            </span>
            <AskButton
              className="btn danger"
              heading={text.deleteAsks(name)}
              text={text.deleteHint}
              action={text.delete}
              typed={name}
              run={remove}
            >
              {text.delete}
            </AskButton>
          </div>
        )}
      </div>
    </Section>
  );
}
