import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { AskButton } from "../parts/AskButton.js";
import { Avatar } from "../parts/Avatar.js";
import { OneTime } from "../parts/OneTime.js";
import { Reason } from "../parts/Reason.js";
import { FORMATS } from "../parts/times.js";
import { useUser } from "../session/user.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { type Account, accountsChanged, linkHere } from "./queries.js";

/** An account, and what its instance admin may do with it. */
export function AccountRow({ account }: { account: Account }) {
  const text = texts.admin.users;
  const isMe = account.publicId === useUser().publicId;
  const { name, email, publicId: userPublicId, status, isAdmin, lastSeenAt } = account;
  const update = async (changes: { disabled?: boolean; isAdmin?: boolean }) => {
    await client.admin.users.update.mutate({ userPublicId, ...changes });
    await accountsChanged();
  };
  const enable = useMutation({ mutationFn: () => update({ disabled: false }) });
  const link = useMutation({ mutationFn: () => client.admin.users.resetLink.mutate({ userPublicId }) });
  const failure = enable.error ?? link.error;
  return (
    <li className="person">
      <Avatar name={name} isMe={isMe} />
      <span className="names" dir="auto">
        <span>{isMe ? t.card.youAre(name) : name}</span>
        <span className="hint">{email ?? text.noAddress}</span>
      </span>
      {isAdmin && <span className="chip state note">{text.admin}</span>}
      {status !== "active" && <span className="chip state off">{text.statuses[status]}</span>}
      <span className="hint wide">
        {lastSeenAt === null ? text.neverSeen : text.seen(FORMATS.dayOfYear(new Date(lastSeenAt)))}
      </span>
      {!isMe && (
        <span className="line-of-tools">
          {status === "active" && (
            <button
              className="btn s"
              type="button"
              aria-label={text.resetFor(name)}
              disabled={link.isPending}
              onClick={() => link.mutate()}
            >
              {text.reset}
            </button>
          )}
          {(isAdmin || status === "active") && (
            <AskButton
              className="btn s"
              name={isAdmin ? text.demoteThis(name) : text.promoteThis(name)}
              heading={isAdmin ? text.demoteAsks(name) : text.promoteAsks(name)}
              text={isAdmin ? text.demoteText : text.promoteText}
              action={isAdmin ? text.demote : text.promote}
              run={() => update({ isAdmin: !isAdmin })}
            >
              {isAdmin ? text.demote : text.promote}
            </AskButton>
          )}
          {status === "disabled" ? (
            <button
              className="btn s"
              type="button"
              aria-label={text.enableThis(name)}
              disabled={enable.isPending}
              onClick={() => enable.mutate()}
            >
              {text.enable}
            </button>
          ) : (
            <AskButton
              className="btn danger s"
              name={text.disableThis(name)}
              heading={text.disableAsks(name)}
              text={text.disableText}
              action={text.disable}
              run={() => update({ disabled: true })}
            >
              {text.disable}
            </AskButton>
          )}
        </span>
      )}
      <Reason of={failure} />
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
