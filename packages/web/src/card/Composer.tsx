import type { RefObject } from "react";
import { useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { announce } from "../parts/announce.js";
import { useUser } from "../session/user.js";
import { texts } from "../texts/later.js";
import { useIsDeleted } from "./deleted.js";
import { useDraft } from "./drafts.js";
import * as styles from "./Text.module.css";
import { TextForm } from "./TextForm.js";
import { Unsent } from "./Unsent.js";
import { noteUnsent } from "./unsentComments.js";

/** The field for a new comment, below the card and always visible. */
export function Composer({
  cardPublicId,
  timeLine,
}: {
  cardPublicId: string;
  timeLine: RefObject<HTMLElement | null>;
}) {
  const { followed, may } = useShownBoard();
  const user = useUser();
  const thing = `comment.${cardPublicId}`;
  const draft = useDraft(thing);
  const isDeleted = useIsDeleted(cardPublicId);
  if (!may("comment:create") || isDeleted) {
    return draft.isThere && <Unsent label={texts.time.write} text={draft.text} discard={draft.clear} />;
  }
  const send = (comment: string) => {
    const sent = followed.change("card.comments.create", { cardPublicId, comment });
    noteUnsent(cardPublicId, comment, sent);
    announce(texts.time.sent);
    requestAnimationFrame(() => timeLine.current?.lastElementChild?.scrollIntoView({ block: "nearest" }));
    return sent;
  };
  return (
    <div className={styles.composer}>
      <Avatar name={user.name} isMe />
      <TextForm label={texts.time.write} thing={thing} action={texts.time.comment} send={send} />
    </div>
  );
}
