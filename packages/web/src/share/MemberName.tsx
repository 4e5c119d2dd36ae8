import { CopyButton } from "../parts/CopyButton.js";
import { PersonName } from "../parts/PersonName.js";
import { texts } from "../texts/later.js";
import { invitationAt, type Member, nameOf } from "./queries.js";

/** A member in a list, with the link of an invitation that was not accepted yet. */
export function MemberName({ member, isMe }: { member: Member; isMe: boolean }) {
  const { status, email, inviteLink } = member;
  return (
    <>
      <PersonName name={nameOf(member)} isMe={isMe} hint={status === "active" ? email : null} />
      {status === "invited" && <span className="chip state warn">{texts.share.invited}</span>}
      {inviteLink !== null && (
        <CopyButton text={invitationAt(inviteLink)} name={texts.share.copyInvitationOf(nameOf(member))}>
          {texts.share.copyInvitation}
        </CopyButton>
      )}
    </>
  );
}
