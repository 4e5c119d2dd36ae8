import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useBoardState } from "../board/context.js";
import { client } from "../client.js";
import { LabelChip } from "../parts/LabelChip.js";
import { Reason } from "../parts/Reason.js";
import { Section } from "../parts/Section.js";
import { boardsChanged } from "../session/boards.js";
import { texts } from "../texts/later.js";
import { tags } from "./queries.js";

/** The tags of a board, among those of its workspace. */
export function BoardTags() {
  const text = texts.settings;
  const boardPublicId = useBoardState((board) => board.publicId);
  const workspacePublicId = useBoardState((board) => board.workspace.publicId);
  const own = useBoardState((board) => board.tags);
  const all = useQuery(tags(workspacePublicId)).data ?? [];
  // The choice of the reader, until the event of the change is there, which may come after the answer.
  const [wanted, setWanted] = useState<{ tagPublicId: string; isOn: boolean } | null>(null);
  useEffect(() => setWanted(null), [own]);
  const toggle = useMutation({
    mutationFn: (tagPublicId: string) => client.board.toggleTag.mutate({ boardPublicId, tagPublicId }),
    onError: () => setWanted(null),
    onSettled: boardsChanged,
  });
  if (all.length === 0) return null;
  const isOn = (tagPublicId: string) =>
    wanted?.tagPublicId === tagPublicId ? wanted.isOn : own.some(({ publicId }) => publicId === tagPublicId);
  return (
    <Section heading={text.sections.tags}>
      <div className="rows panel-form">
        <fieldset className="checks">
          <legend className="sr">{text.sections.tags}</legend>
          {all.map((tag) => (
            <label key={tag.publicId} className="option">
              <input
                className="check"
                type="checkbox"
                aria-disabled={toggle.isPending}
                checked={isOn(tag.publicId)}
                onChange={({ currentTarget }) => {
                  if (toggle.isPending) return;
                  setWanted({ tagPublicId: tag.publicId, isOn: currentTarget.checked });
                  toggle.mutate(tag.publicId);
                }}
              />
              <LabelChip of={tag} size="l" />
            </label>
          ))}
        </fieldset>
        <Reason of={toggle.error} />
      </div>
    </Section>
  );
}
