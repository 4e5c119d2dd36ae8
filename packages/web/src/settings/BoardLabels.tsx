import { useBoardState } from "../board/context.js";
import { client } from "../client.js";
import { Section } from "../parts/Section.js";
import { texts } from "../texts/later.js";
import { NamedColours } from "./NamedColours.js";

/** The labels of a board. */
export function BoardLabels() {
  const text = texts.settings;
  const boardPublicId = useBoardState((board) => board.publicId);
  const labels = useBoardState((board) => board.labels);
  return (
    <Section heading={text.boardSections.labels}>
      <NamedColours
        name={text.boardSections.labels}
        all={labels}
        deleteText={text.deleteLabel}
        create={(fields) => client.board.labels.create.mutate({ boardPublicId, ...fields })}
        update={(labelPublicId, fields) => client.board.labels.update.mutate({ labelPublicId, ...fields })}
        remove={(labelPublicId) => client.board.labels.delete.mutate({ labelPublicId })}
      />
    </Section>
  );
}
