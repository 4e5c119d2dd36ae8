import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { CardDetails } from "work-board-client/board";
import { useChange, useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { confirm } from "../parts/confirm.js";
import { useUser } from "../session/user.js";
import { texts } from "../texts/later.js";
import { keyOf } from "./Checklist.js";
import { useIsDeleted } from "./deleted.js";
import { useDraft } from "./drafts.js";
import { Markdown } from "./lazyMarkdown.js";
import * as styles from "./Text.module.css";
import { TextForm } from "./TextForm.js";
import { Timestamp } from "./Timestamp.js";
import { Unsent } from "./Unsent.js";

export type CommentState = CardDetails["comments"][number];

interface Props {
  cardPublicId: string;
  comment: CommentState;
  replies: readonly CommentState[];
}

/** A comment with its replies. */
export function Comment({ cardPublicId, comment, replies }: Props) {
  const user = useUser();
  const { author, importedFrom } = comment;
  const name = importedFrom?.name ?? author.name;
  const isMe = importedFrom === null && author.publicId === user.publicId;
  const isTop = comment.parentCommentPublicId === null;
  return (
    <>
      <Avatar name={name} isMe={isMe} {...(!isTop && { size: "s" })} />
      <article className={styles.said} aria-label={texts.time.commentBy(name)}>
        <header>
          <b dir="auto">{isMe ? texts.time.you : name}</b>
          <span className={styles.when}>
            <Timestamp at={importedFrom?.createdAt ?? comment.createdAt} />
            {comment.editedAt !== null && <span>{` · ${texts.time.edited}`}</span>}
          </span>
        </header>
        <Text cardPublicId={cardPublicId} comment={comment} isOwn={author.publicId === user.publicId} isTop={isTop} />
        {replies.map((reply) => (
          <div key={keyOf(reply)} className={styles.reply}>
            <Comment cardPublicId={cardPublicId} comment={reply} replies={[]} />
          </div>
        ))}
      </article>
    </>
  );
}

interface TextProps {
  cardPublicId: string;
  comment: CommentState;
  isOwn: boolean;
  isTop: boolean;
}

/** A comment, and the actions that the reader may take. Editing goes on where it was left. */
function Text({ cardPublicId, comment: { publicId: commentPublicId, comment }, isOwn, isTop }: TextProps) {
  const { followed, may } = useShownBoard();
  const change = useChange();
  const isDeleted = useIsDeleted(cardPublicId);
  const edit = `edit.${commentPublicId}`;
  const reply = `reply.${commentPublicId}`;
  const drafts = { edit: useDraft(edit), reply: useDraft(reply) };
  const [form, setForm] = useState<"edit" | "reply" | null>(
    drafts.edit.isThere ? "edit" : drafts.reply.isThere ? "reply" : null,
  );
  const buttons = useRef<HTMLDivElement>(null);
  const mayWrite = may("comment:create") && !isDeleted;
  const mayEdit = mayWrite && (isOwn || may("comment:edit"));
  const mayDelete = mayWrite && (isOwn || may("comment:delete"));
  const close = () => {
    flushSync(() => setForm(null));
    buttons.current?.querySelector("button")?.focus();
  };
  const send = (text: string) =>
    followed.change("card.comments.create", { cardPublicId, comment: text, parentCommentPublicId: commentPublicId });
  const run = () => change("card.comments.delete", { cardPublicId, commentPublicId });
  if (form === "edit" && mayEdit)
    return (
      <TextForm
        label={texts.time.editLabel}
        first={comment}
        thing={edit}
        action={texts.card.save}
        send={(text) => followed.change("card.comments.update", { cardPublicId, commentPublicId, comment: text })}
        close={close}
      />
    );
  return (
    <>
      <Markdown text={comment} />
      {mayWrite && (
        <div className={styles.under} ref={buttons}>
          {isTop && form === null && <Action name={texts.time.reply} run={() => setForm("reply")} />}
          {mayEdit && <Action name={texts.time.edit} run={() => setForm("edit")} />}
          {mayDelete && (
            <Action
              name={texts.card.delete}
              run={() => confirm({ text: texts.time.deleteAsks, action: texts.card.delete, run })}
            />
          )}
        </div>
      )}
      {form !== null && !mayWrite && drafts[form].isThere && (
        <Unsent label={texts.time.write} text={drafts[form].text} discard={drafts[form].clear} />
      )}
      {form === "reply" && mayWrite && (
        <TextForm label={texts.time.writeReply} thing={reply} action={texts.time.reply} send={send} close={close} />
      )}
    </>
  );
}

const Action = ({ name, run }: { name: string; run: () => void }) => (
  <button type="button" className="btn plain s" onClick={run}>
    {name}
  </button>
);
