import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../client.js";
import { Button } from "../parts/Button.js";
import { Choice } from "../parts/Choice.js";
import { CopyButton } from "../parts/CopyButton.js";
import { Field } from "../parts/Field.js";
import { onSubmit } from "../parts/onSubmit.js";
import { signInMethods } from "../signIn/queries.js";
import { texts } from "../texts/later.js";
import { type InviteResult, membersChanged, type Role } from "./queries.js";

const ROLES: readonly Role[] = ["member", "guest", "admin"];

interface Props {
  workspacePublicId: string;
  /** The roles in words that say what they open to the invited. */
  roleNames: Record<Role, string>;
  invite: (email: string, role: Role) => Promise<InviteResult>;
}

/** Invites several addresses at once, and says what came of each. Without mail, each gets a link to pass on. */
export function InviteForm({ workspacePublicId, roleNames, invite }: Props) {
  const text = texts.share;
  const sendsMail = useQuery(signInMethods).data?.emailVerification ?? true;
  const [role, setRole] = useState<Role>("member");
  const [emails, setEmails] = useState("");
  const [outcomes, setOutcomes] = useState<readonly InviteResult[]>([]);
  const inviteAll = useMutation({
    mutationFn: async (all: readonly string[]) => {
      setOutcomes([]);
      const failed: string[] = [];
      for (const email of all) {
        const outcome = await invite(email, role).catch(
          (error: unknown): InviteResult => ({ email, kind: "failed", detail: failureOf(error).text }),
        );
        setOutcomes((earlier) => [...earlier, outcome]);
        if (outcome.kind === "failed") failed.push(email);
      }
      setEmails(failed.join(", "));
    },
    onSuccess: () => membersChanged(workspacePublicId),
  });
  const submit = onSubmit(() => {
    const all = emails.split(/[\s,;]+/).filter((email) => email !== "");
    if (all.length > 0) inviteAll.mutate(all);
  });
  return (
    <form className="stack-8" onSubmit={submit}>
      <div className="fields">
        <Field
          label={text.emails}
          value={emails}
          onChange={({ currentTarget }) => setEmails(currentTarget.value)}
          autoComplete="off"
          inputMode="email"
          required
          hint={sendsMail ? text.emailsHint : text.noMail}
        />
        <Choice
          name={text.role}
          value={role}
          choose={setRole}
          options={ROLES.map((one) => [one, roleNames[one]] as const)}
        />
        <Button className="btn primary l" type="submit" isOff={inviteAll.isPending}>
          {text.invite}
        </Button>
      </div>
      <ul className="notes" aria-label={text.outcomes} aria-live="polite">
        {outcomes.map((outcome) => (
          <li key={outcome.email}>
            <OneOutcome of={outcome} />
          </li>
        ))}
      </ul>
    </form>
  );
}

function OneOutcome({ of: { email, kind, detail } }: { of: InviteResult }) {
  if (kind === "failed") return <span className="error">{texts.share.failed(email, detail)}</span>;
  return (
    <>
      <span>{texts.share[kind](email)}</span>
      {kind === "link" && (
        <CopyButton text={detail} name={texts.share.copyInvitationOf(email)}>
          {texts.share.copyInvitation}
        </CopyButton>
      )}
    </>
  );
}
