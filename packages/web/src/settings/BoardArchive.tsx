import { useMutation } from "@tanstack/react-query";
import { useBoardState, useShownBoard } from "../board/context.js";
import { client } from "../client.js";
import { Reason } from "../parts/Reason.js";
import { RowText } from "../parts/RowText.js";
import { RunButton } from "../parts/RunButton.js";
import { Section } from "../parts/Section.js";
import { boardsChanged } from "../session/boards.js";
import { texts } from "../texts/later.js";
import { DeletionRow } from "./DeletionRow.js";

/** Archiving a board, restoring it, and deleting it for good. */
export function BoardArchive() {
  const text = texts.settings.board;
  const { may } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  const name = useBoardState((board) => board.name);
  const isArchived = useBoardState((board) => board.isArchived);
  const archive = useMutation({
    mutationFn: () =>
      isArchived ? client.board.unarchive.mutate({ boardPublicId }) : client.board.archive.mutate({ boardPublicId }),
    onSettled: boardsChanged,
  });
  return (
    <Section heading={texts.settings.boardSections.archive}>
      <div className="rows">
        <div className="line tall">
          <RowText text={isArchived ? text.isArchived : text.archiveText} hint={text.archiveHint}>
            <Reason of={archive.error} />
          </RowText>
          <RunButton of={archive} run={() => archive.mutate()}>
            {isArchived ? text.restore : text.archive}
          </RunButton>
        </div>
        {may("board:delete") && (
          <DeletionRow name={name} text={text} remove={() => client.board.delete.mutate({ boardPublicId })} />
        )}
      </div>
    </Section>
  );
}
