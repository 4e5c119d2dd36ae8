import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { OneTime } from "../parts/OneTime.js";
import { PersonName } from "../parts/PersonName.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { FORMATS } from "../parts/times.js";
import { useUser } from "../session/user.js";
import { adminTexts } from "../texts/adminTexts.js";
import { type Account, accountsChanged, linkHere } from "./queries.js";

/** An account, and what its instance admin may do with it. */
export function AccountRow({ account }: { account: Account }) {
  const text = adminTexts.users;
  const isMe = account.publicId === useUser().publicId;
  const { name, email, publicId: userPublicId, status, isAdmin, lastSeenAt } = account;
  const update = async (changes: { disabled?: boolean; isAdmin?: boolean }) => {
    await client.admin.users.update.mutate({ userPublicId, ...changes });
    await accountsChanged();
  };
  const enable = useMutation({ mutationFn: () => update({ disabled: false }) });
  const link = useMutation({ mutationFn: () => client.admin.users.resetLink.mutate({ userPublicId }) });
  return (
    <li className="person">
      <PersonName name={name} isMe={isMe} hint={email ?? text.noAddress} />
      {isAdmin && <span className="chip state note">{text.admin}</span>}
      {status !== "active" && <span className="chip state off">{text.statuses[status]}</span>}
      <span className="hint wide">
        {lastSeenAt === null ? text.neverSeen : text.seen(FORMATS.dayOfYear(new Date(lastSeenAt)))}
      </span>
      {!isMe && (
        <span className="line-of-tools">
          {status === "active" && (
            <RunButton of={link} run={() => link.mutate()} className="btn s" name={text.resetFor(name)}>
              {text.reset}
            </RunButton>
          )}
          {(isAdmin || status === "active") && (
            <AdminButton name={name} isAdmin={isAdmin} run={() => update({ isAdmin: !isAdmin })} />
          )}
          {status === "disabled" ? (
            <RunButton of={enable} run={() => enable.mutate()} className="btn s" name={text.enableThis(name)}>
              {text.enable}
            </RunButton>
          ) : (
            <ConfirmButton
              className="btn danger s"
              name={text.disableThis(name)}
              heading={text.disableAsks(name)}
              text={text.disableText}
              action={text.disable}
              run={() => update({ disabled: true })}
            >
              {text.disable}
            </ConfirmButton>
          )}
        </span>
      )}
      <Reason of={enable.error ?? link.error} />
      {link.isSuccess && (
        <OneTime
          className="one-time"
          text={text.resetText(name)}
          secret={linkHere(link.data.url)}
          copy={text.copyLink}
        />
      )}
    </li>
  );
}

/** Makes somebody an instance admin, or ends that. */
function AdminButton({ name, isAdmin, run }: { name: string; isAdmin: boolean; run: () => Promise<void> }) {
  const text = adminTexts.users;
  const action = isAdmin ? text.demote : text.promote;
  return (
    <ConfirmButton
      className="btn s"
      name={isAdmin ? text.demoteThis(name) : text.promoteThis(name)}
      heading={isAdmin ? text.demoteAsks(name) : text.promoteAsks(name)}
      text={isAdmin ? text.demoteText : text.promoteText}
      action={action}
      run={run}
    >
      {action}
    </ConfirmButton>
  );
}
