import { useBoardState } from "../board/context.js";
import { CopyButton } from "../parts/CopyButton.js";
import { Section } from "../parts/Section.js";
import { BoardPeople } from "../share/BoardPeople.js";
import { Visibility } from "../share/Visibility.js";
import { texts } from "../texts/later.js";

/** The visibility of a board, and its people. */
export function BoardMembers() {
  const text = texts.settings.board;
  const boardPublicId = useBoardState((board) => board.publicId);
  const isPublic = useBoardState((board) => board.visibility === "public");
  return (
    <>
      <Section heading={text.visibility}>
        <div className="line-of-tools">
          <Visibility />
          {isPublic && (
            <CopyButton text={`${location.origin}/public/boards/${boardPublicId}`}>{texts.share.copyPublic}</CopyButton>
          )}
        </div>
      </Section>
      <Section heading={texts.share.people}>
        <div className="stack-8">
          <BoardPeople />
        </div>
      </Section>
    </>
  );
}
