import { useRef } from "react";
import { useBoardState, useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { texts } from "../texts/later.js";
import { useUser } from "../user.js";
import { TextForm } from "./TextForm.js";

/** The field for a new comment, below the card and always in sight. */
export function Composer({ cardPublicId }: { cardPublicId: string }) {
  const { followed, may } = useShownBoard();
  const user = useUser();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const bar = useRef<HTMLDivElement>(null);
  const isDeleted = card?.isGone === true && card.details?.archivedAt === null;
  if (!may("comment:create") || isDeleted) return null;
  const send = (comment: string) => {
    const sent = followed.change("card.comments.create", { cardPublicId, comment });
    requestAnimationFrame(() => {
      const entries = bar.current?.parentElement?.querySelectorAll(".time > li");
      entries?.item(entries.length - 1)?.scrollIntoView({ block: "nearest" });
    });
    return sent;
  };
  return (
    <div className="composer" ref={bar}>
      <Avatar name={user.name} id={user.publicId} isMe />
      <TextForm label={texts.time.write} thing={`comment.${cardPublicId}`} action={texts.time.comment} send={send} />
    </div>
  );
}
