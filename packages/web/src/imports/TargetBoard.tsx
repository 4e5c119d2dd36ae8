import { useQuery } from "@tanstack/react-query";
import { Choice } from "../parts/Choice.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { ownBoards } from "../session/boards.js";
import { importTexts } from "../texts/importTexts.js";

/** The board that cards go to: one that exists, or if there is none, a new one of that name. */
export interface ImportTarget {
  boardPublicId: string;
  boardName: string;
}

interface Props {
  workspacePublicId: string;
  target: ImportTarget;
  set: (target: ImportTarget) => void;
}

/** Chooses the board that cards are imported to. */
export function TargetBoard({ workspacePublicId, target, set }: Props) {
  const text = importTexts;
  const { data } = useQuery(ownBoards);
  const boards = data?.find(({ workspace }) => workspace.publicId === workspacePublicId)?.boards ?? [];
  return (
    <div className="fields">
      <Choice
        className="input"
        name={text.target}
        value={target.boardPublicId}
        options={[["", text.newBoard], ...boards.map(({ publicId, name }) => [publicId, name] as const)]}
        choose={(boardPublicId) => set({ ...target, boardPublicId })}
      />
      {target.boardPublicId === "" && (
        <Field
          label={text.boardName}
          value={target.boardName}
          maxLength={NAME_MAX}
          required
          autoComplete="off"
          onChange={({ currentTarget }) => set({ ...target, boardName: currentTarget.value })}
        />
      )}
    </div>
  );
}
