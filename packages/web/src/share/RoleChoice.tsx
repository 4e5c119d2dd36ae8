import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Choice } from "../parts/Choice.js";
import { Reason } from "../parts/Reason.js";
import { texts } from "../texts/later.js";
import { type Member, membersChanged, type Role } from "./queries.js";

const ROLES: readonly Role[] = ["admin", "member", "guest"];

/** A member's role in the workspace. */
export function RoleChoice({
  workspacePublicId,
  member: { publicId, name, role },
  canEdit,
}: {
  workspacePublicId: string;
  member: Member;
  canEdit: boolean;
}) {
  const setRole = useMutation({
    mutationFn: (wanted: Role) =>
      client.workspace.members.setRole.mutate({ workspacePublicId, memberPublicId: publicId, role: wanted }),
    onSettled: () => membersChanged(workspacePublicId),
  });
  if (!canEdit) return <span className="quiet">{texts.roles[role]}</span>;
  return (
    <>
      <Choice
        className="input s bare"
        name={texts.share.roleOf(name)}
        value={setRole.isPending ? setRole.variables : role}
        choose={(wanted) => setRole.mutate(wanted)}
        options={ROLES.map((one) => [one, texts.roles[one]] as const)}
      />
      <Reason of={setRole.error} />
    </>
  );
}
