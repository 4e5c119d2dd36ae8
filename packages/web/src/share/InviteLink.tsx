import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { CopyButton } from "../parts/CopyButton.js";
import { Field } from "../parts/Field.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { TryAgain } from "../parts/TryAgain.js";
import { formatOf } from "../parts/times.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { invitationAt, inviteLink } from "./queries.js";

const day = formatOf({ day: "numeric", month: "long" });

/** The link by which people join a workspace as members: made, copied and revoked. */
export function InviteLink({ workspacePublicId, workspace }: { workspacePublicId: string; workspace: string }) {
  const text = texts.share;
  const link = useQuery(inviteLink(workspacePublicId));
  const input = { workspacePublicId };
  const change = useMutation({
    mutationFn: async (isWanted: boolean) => {
      if (isWanted) await client.workspace.invites.create.mutate(input);
      else await client.workspace.invites.revoke.mutate(input);
    },
    onSettled: () => queryClient.invalidateQueries(inviteLink(workspacePublicId)),
  });
  if (link.data === undefined) return <TryAgain of={link} />;
  const found = link.data;
  return (
    <div className="stack-8">
      {found === null ? (
        <>
          <p className="hint">{text.linkHint(workspace)}</p>
          <RunButton of={change} run={() => change.mutate(true)}>
            {text.makeLink}
          </RunButton>
        </>
      ) : (
        <div className="fields">
          <Field
            label={text.linkLabel}
            value={invitationAt(found.inviteCode)}
            readOnly
            onFocus={({ currentTarget }) => currentTarget.select()}
            hint={text.linkOpens(workspace, day(new Date(found.expiresAt)))}
          />
          <CopyButton text={invitationAt(found.inviteCode)} name={text.copyLink}>
            {text.copy}
          </CopyButton>
          <RunButton of={change} run={() => change.mutate(false)} className="btn danger">
            {text.revoke}
          </RunButton>
        </div>
      )}
      <Reason of={change.error} />
    </div>
  );
}
