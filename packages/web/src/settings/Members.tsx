import { useMutation, useQuery } from "@tanstack/react-query";
import { X } from "lucide";
import { useState } from "react";
import { useLocation } from "wouter";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { folded } from "../parts/folded.js";
import { Icon } from "../parts/Icon.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { Section } from "../parts/Section.js";
import { TryAgain } from "../parts/TryAgain.js";
import type { OwnWorkspace } from "../session/boards.js";
import { boardsChanged } from "../session/boards.js";
import { InviteForm } from "../share/InviteForm.js";
import { InviteLink } from "../share/InviteLink.js";
import { MemberName } from "../share/MemberName.js";
import { inviteToWorkspace, type Member, members, membersChanged, nameOf } from "../share/queries.js";
import { RoleChoice } from "../share/RoleChoice.js";
import { texts } from "../texts/later.js";

/** The number of members among whom nobody needs to be searched for. */
const FEW = 8;

/** The people of a workspace and the invitations to it. */
export function Members({ workspace }: { workspace: OwnWorkspace }) {
  const text = texts.settings.members;
  const { publicId: workspacePublicId, me } = workspace;
  const query = useQuery(members(workspacePublicId));
  const people = query.data;
  const [wanted, setWanted] = useState("");
  const shown = people?.filter(({ name, email }) => folded(`${name} ${email ?? ""}`).includes(wanted));
  const mayInvite = me.permissions.includes("member:invite");
  const invited = people?.filter(({ status }) => status === "invited").length ?? 0;
  return (
    <>
      {mayInvite && (
        <Section heading={text.invite}>
          <div className="rows panel-form">
            <InviteForm
              workspacePublicId={workspacePublicId}
              roleNames={texts.roles}
              invite={async (email, role) => (await inviteToWorkspace(workspacePublicId, email, role)).outcome}
            />
            <InviteLink workspacePublicId={workspacePublicId} workspace={workspace.name} />
          </div>
        </Section>
      )}
      <Section heading={texts.settings.sections.members} count={people && text.count(people.length, invited)}>
        <TryAgain of={query} />
        {people !== undefined && people.length > FEW && (
          <input
            className="input s find after-head"
            type="search"
            aria-label={text.find}
            placeholder={text.find}
            onChange={({ currentTarget }) => setWanted(folded(currentTarget.value.trim()))}
          />
        )}
        <ul className="rows" aria-label={texts.settings.sections.members}>
          {shown?.map((member) => (
            <Person key={member.publicId} workspace={workspace} member={member} />
          ))}
        </ul>
      </Section>
    </>
  );
}

function Person({
  workspace: { publicId: workspacePublicId, name, me },
  member,
}: {
  workspace: OwnWorkspace;
  member: Member;
}) {
  const text = texts.settings.members;
  const [, navigate] = useLocation();
  const isMe = member.publicId === me.memberPublicId;
  const may = (permission: (typeof me.permissions)[number]) => me.permissions.includes(permission);
  const isInvited = member.status === "invited";
  const shownName = nameOf(member);
  const remove = async () => {
    await client.workspace.members.remove.mutate({ workspacePublicId, memberPublicId: member.publicId });
    if (!isMe) return membersChanged(workspacePublicId);
    navigate("/");
    await boardsChanged();
  };
  return (
    <li className="person">
      <MemberName member={member} isMe={isMe} />
      {isInvited && member.inviteLink === null && member.email !== null && may("member:invite") && (
        <InviteAgain workspacePublicId={workspacePublicId} email={member.email} role={member.role} />
      )}
      <RoleChoice workspacePublicId={workspacePublicId} member={member} canEdit={may("member:edit") && !isMe} />
      {isMe && (
        <ConfirmButton
          className="btn"
          heading={text.leaveAsks(name)}
          text={text.leaveText}
          action={texts.share.leave}
          run={remove}
        >
          {text.leave}
        </ConfirmButton>
      )}
      {!isMe && may("member:remove") && (
        <ConfirmButton
          className="btn plain icon"
          name={isInvited ? text.revoke(shownName) : text.remove(shownName)}
          heading={isInvited ? text.revokeAsks(shownName) : text.removeAsks(shownName, name)}
          text={isInvited ? text.revokeText : text.removeText}
          action={isInvited ? texts.share.revoke : text.removeAction}
          run={remove}
        >
          <Icon of={X} />
        </ConfirmButton>
      )}
    </li>
  );
}

/** Renews an invitation that has expired. */
function InviteAgain({
  workspacePublicId,
  email,
  role,
}: {
  workspacePublicId: string;
  email: string;
  role: Member["role"];
}) {
  const again = useMutation({
    mutationFn: () => inviteToWorkspace(workspacePublicId, email, role),
    onSettled: () => membersChanged(workspacePublicId),
  });
  return (
    <>
      <RunButton of={again} run={() => again.mutate()} name={texts.settings.members.againTo(email)}>
        {texts.settings.members.again}
      </RunButton>
      <Reason of={again.error} />
    </>
  );
}
