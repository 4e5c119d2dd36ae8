import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { client } from "../client.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { boardsChanged, type OwnWorkspace } from "../session/boards.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { archivedBoards } from "./queries.js";

/** The boards that were archived, which can be restored. */
export function ArchivedBoards({ workspace: { publicId: workspacePublicId } }: { workspace: OwnWorkspace }) {
  const text = texts.settings.archive;
  const query = useQuery(archivedBoards(workspacePublicId));
  const all = query.data;
  const restore = useMutation({
    mutationFn: (boardPublicId: string) => client.board.unarchive.mutate({ boardPublicId }),
    onSettled: () => Promise.all([boardsChanged(), queryClient.invalidateQueries(archivedBoards(workspacePublicId))]),
  });
  if (all === undefined) return <TryAgain of={query} />;
  return (
    <Section heading={texts.settings.sections.archive}>
      {all.length === 0 && <p className="hint">{text.none}</p>}
      {all.length > 0 && (
        <ul className="rows" aria-label={texts.settings.sections.archive}>
          {all.map(({ publicId, name }) => (
            <li className="line tall" key={publicId}>
              <Link className="grow truncate" href={`/boards/${publicId}`} dir="auto">
                {name}
              </Link>
              <RunButton of={restore} run={() => restore.mutate(publicId)} name={text.restoreThis(name)}>
                {text.restore}
              </RunButton>
            </li>
          ))}
        </ul>
      )}
      <Reason of={restore.error} />
    </Section>
  );
}
