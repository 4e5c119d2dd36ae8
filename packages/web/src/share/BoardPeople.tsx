import { useMutation, useQuery } from "@tanstack/react-query";
import { X } from "lucide";
import { useBoardState, useShownBoard } from "../board/context.js";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { Icon } from "../parts/Icon.js";
import { Reason } from "../parts/Reason.js";
import { Select } from "../parts/Select.js";
import { texts } from "../texts/later.js";
import { MemberName } from "./MemberName.js";
import { type Member, members, membersChanged, nameOf } from "./queries.js";
import { RoleChoice } from "./RoleChoice.js";

/** The people of a board: with their roles, added and removed. */
export function BoardPeople() {
  const text = texts.share;
  const { may } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  const workspacePublicId = useBoardState((board) => board.workspace.publicId);
  const people = useBoardState((board) => board.members);
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
        {people.map((person) => (
          <Person
            key={person.publicId}
            member={known.get(person.publicId) ?? { ...person, inviteLink: null }}
            remove={() => change.mutateAsync({ memberPublicId: person.publicId, isOn: false })}
          />
        ))}
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

/** A person of the board. Everybody may leave it. */
function Person({ member, remove }: { member: Member; remove: () => Promise<void> }) {
  const text = texts.share;
  const { may, meId } = useShownBoard();
  const workspacePublicId = useBoardState((board) => board.workspace.publicId);
  const board = useBoardState(({ name }) => name);
  const seesWithoutJoining = useBoardState(
    ({ me, visibility }) =>
      me.role === "admin" || visibility === "public" || (visibility === "workspace" && me.role === "member"),
  );
  const isMe = member.publicId === meId;
  const name = nameOf(member);
  const removing = isMe
    ? {
        name: text.leaveBoard,
        heading: text.leaveAsks(board),
        text: text.leaveText(seesWithoutJoining),
        action: text.leave,
      }
    : {
        name: text.remove(name),
        heading: text.removeAsks(name, board),
        text: text.removeText,
        action: text.removeAction,
      };
  return (
    <li className="person">
      <MemberName member={member} isMe={isMe} />
      <RoleChoice workspacePublicId={workspacePublicId} member={member} canEdit={may("member:edit") && !isMe} />
      {(isMe || may("board:edit")) && (
        <ConfirmButton className="btn plain icon" {...removing} run={remove}>
          <Icon of={X} />
        </ConfirmButton>
      )}
    </li>
  );
}
