import { useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import { boardsChanged, type OwnWorkspace } from "../session/boards.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { NamedColours } from "./NamedColours.js";
import { tags } from "./queries.js";

/** The tags that the boards of a workspace can have. */
export function Tags({ workspace: { publicId: workspacePublicId } }: { workspace: OwnWorkspace }) {
  const text = texts.settings;
  const query = useQuery(tags(workspacePublicId));
  const all = query.data;
  const changed = async (change: Promise<unknown>) => {
    await change;
    void boardsChanged();
    await queryClient.invalidateQueries(tags(workspacePublicId));
  };
  if (all === undefined) return <TryAgain of={query} />;
  return (
    <Section heading={text.sections.tags}>
      <p className="hint after-head">{text.tagsHint}</p>
      <NamedColours
        name={text.sections.tags}
        all={all}
        deleteText={text.deleteTag}
        create={(fields) => changed(client.workspace.tags.create.mutate({ workspacePublicId, ...fields }))}
        update={(tagPublicId, fields) =>
          changed(client.workspace.tags.update.mutate({ workspacePublicId, tagPublicId, ...fields }))
        }
        remove={(tagPublicId) => changed(client.workspace.tags.delete.mutate({ workspacePublicId, tagPublicId }))}
      />
    </Section>
  );
}
