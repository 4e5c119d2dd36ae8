import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { confirm } from "../parts/confirm.js";
import { Reason } from "../parts/Reason.js";
import { Select } from "../parts/Select.js";
import { texts } from "../texts/later.js";
import { type Member, membersChanged, nameOf, type Role } from "./queries.js";
import { adminQuestion } from "./questions.js";

const ROLES: readonly Role[] = ["admin", "member", "guest"];

/** A member's role in the workspace. Asks before the member becomes an admin, or is none any longer. */
export function RoleChoice({
  workspacePublicId,
  member,
  canEdit,
}: {
  workspacePublicId: string;
  member: Member;
  canEdit: boolean;
}) {
  const { publicId, role } = member;
  const setRole = useMutation({
    mutationFn: (wanted: Role) =>
      client.workspace.members.setRole.mutate({ workspacePublicId, memberPublicId: publicId, role: wanted }),
    onSettled: () => membersChanged(workspacePublicId),
  });
  const choose = useMutation({
    mutationFn: async (wanted: Role) => {
      const run = () => setRole.mutate(wanted);
      if (wanted !== "admin" && role !== "admin") run();
      else confirm({ ...(await adminQuestion(workspacePublicId, nameOf(member), wanted)), run });
    },
  });
  const shown = setRole.isPending ? setRole.variables : role;
  if (!canEdit) return <span className="quiet">{texts.roles[role]}</span>;
  return (
    <>
      <Select
        className="bare"
        name={texts.share.roleOf(nameOf(member))}
        value={shown}
        options={ROLES.map((one) => [one, texts.roles[one]] as const)}
        choose={choose.mutate}
      >
        {texts.roles[shown]}
      </Select>
      <Reason of={choose.error ?? setRole.error} />
    </>
  );
}
