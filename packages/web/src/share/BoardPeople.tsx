import { useMutation, useQuery } from "@tanstack/react-query";
import { X } from "lucide";
import { useBoardState, useShownBoard } from "../board/context.js";
import { client } from "../client.js";
import { AskButton } from "../parts/AskButton.js";
import { Avatar } from "../parts/Avatar.js";
import { CopyButton } from "../parts/CopyButton.js";
import { Icon } from "../parts/Icon.js";
import { Reason } from "../parts/Reason.js";
import { Select } from "../parts/Select.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { invitationAt, type Member, members, membersChanged, nameOf } from "./queries.js";
import { RoleChoice } from "./RoleChoice.js";

/** The people of a board: with their roles, added and removed. */
export function BoardPeople() {
  const text = texts.share;
  const { may, meId } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  const workspacePublicId = useBoardState((board) => board.workspace.publicId);
  const board = useBoardState(({ name }) => name);
  const people = useBoardState((board) => board.members);
  const seesWithoutJoining = useBoardState(
    ({ me, visibility }) =>
      me.role === "admin" || visibility === "public" || (visibility === "workspace" && me.role === "member"),
  );
  const everybody = useQuery(members(workspacePublicId)).data ?? [];
  const change = useMutation({
    mutationFn: async ({ memberPublicId, isOn }: { memberPublicId: string; isOn: boolean }) => {
      if (isOn) await client.board.members.add.mutate({ boardPublicId, memberPublicId });
      else await client.board.members.remove.mutate({ boardPublicId, memberPublicId });
    },
    onSettled: () => membersChanged(workspacePublicId),
  });
  const isHere = new Set(people.map(({ publicId }) => publicId));
  const others = everybody.filter(({ publicId }) => !isHere.has(publicId));
  const known = new Map(everybody.map((member) => [member.publicId, member]));
  return (
    <>
      <ul aria-label={text.people}>
        {people.map((person) => {
          const member: Member = known.get(person.publicId) ?? { ...person, inviteLink: null };
          const isMe = member.publicId === meId;
          return (
            <li key={member.publicId} className="person">
              <Avatar name={nameOf(member)} isMe={isMe} />
              <span className="names" dir="auto">
                <span>{isMe ? t.card.youAre(member.name) : nameOf(member)}</span>
                {member.status === "active" && member.email !== null && <span className="hint">{member.email}</span>}
              </span>
              {member.status === "invited" && <span className="chip state warn">{text.invited}</span>}
              {member.inviteLink !== null && (
                <CopyButton text={invitationAt(member.inviteLink)} name={text.copyInvitationOf(nameOf(member))}>
                  {text.copyInvitation}
                </CopyButton>
              )}
              <RoleChoice workspacePublicId={workspacePublicId} member={member} canEdit={may("member:edit") && !isMe} />
              {isMe && (
                <AskButton
                  className="btn plain icon"
                  name={text.leaveBoard}
                  heading={text.leaveAsks(board)}
                  text={text.leaveText(seesWithoutJoining)}
                  action={text.leave}
                  run={() => change.mutateAsync({ memberPublicId: member.publicId, isOn: false })}
                >
                  <Icon of={X} />
                </AskButton>
              )}
              {!isMe && may("board:edit") && (
                <AskButton
                  className="btn plain icon"
                  name={text.remove(nameOf(member))}
                  heading={text.removeAsks(nameOf(member), board)}
                  text={text.removeText}
                  action={text.removeAction}
                  run={() => change.mutateAsync({ memberPublicId: member.publicId, isOn: false })}
                >
                  <Icon of={X} />
                </AskButton>
              )}
            </li>
          );
        })}
      </ul>
      {may("board:edit") && others.length > 0 && (
        <Select
          name={text.add}
          value={null}
          options={others.map((one) => [one.publicId, nameOf(one)] as const)}
          choose={(memberPublicId) => change.mutate({ memberPublicId, isOn: true })}
        >
          {text.add}
        </Select>
      )}
      <Reason of={change.error} />
    </>
  );
}
