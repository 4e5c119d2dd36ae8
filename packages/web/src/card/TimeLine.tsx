import { type Ref, useState } from "react";
import type { Event } from "work-board-client";
import type { CardDetails } from "work-board-client/board";
import { useBoardState, useShownBoard } from "../board/context.js";
import { TryAgain } from "../parts/TryAgain.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { Activity } from "./Activity.js";
import { useActivities } from "./activities.js";
import * as styles from "./Card.module.css";
import { keyOf } from "./Checklist.js";
import { Comment, type CommentState } from "./Comment.js";
import * as textStyles from "./Text.module.css";
import { Unread } from "./Unread.js";

/** The comments and events of a card in one line of time, the newest last. */
export function TimeLine({ cardPublicId, ref }: { cardPublicId: string; ref: Ref<HTMLOListElement> }) {
  const details = useBoardState((board) => board.cards[cardPublicId]?.details ?? null);
  return details === null ? (
    <Unread cardPublicId={cardPublicId} />
  ) : (
    <Line cardPublicId={cardPublicId} details={details} ref={ref} />
  );
}

type Entry = { at: string } & ({ event: Event } | { comment: CommentState; replies: readonly CommentState[] });

/** The comments with their replies below them. A reply stands by itself if what it replies to is not there. */
function threadsOf(comments: readonly CommentState[]): Entry[] {
  const isReply = ({ parentCommentPublicId: parent }: CommentState) =>
    comments.some(({ publicId }) => publicId === parent);
  return comments
    .filter((comment) => !isReply(comment))
    .map((comment) => ({
      at: comment.createdAt,
      comment,
      replies: comments.filter(({ parentCommentPublicId }) => parentCommentPublicId === comment.publicId),
    }));
}

interface LineProps {
  cardPublicId: string;
  details: CardDetails;
  ref: Ref<HTMLOListElement>;
}

function Line({ cardPublicId, details, ref }: LineProps) {
  const { followed } = useShownBoard();
  const count = useBoardState((board) => board.cards[cardPublicId]?.commentCount ?? 0);
  const { events, horizon, readEarlier, query } = useActivities(cardPublicId, details.updatedAt);
  const [isWhole, setWhole] = useState(true);
  const { comments, earlier } = details;
  const ofComments = (earlier === null ? null : comments[0]?.createdAt) ?? "";
  const ofEvents = (isWhole ? horizon : null) ?? "";
  // Before the later of both, the line would have gaps.
  const isComments = ofComments > ofEvents;
  const from = isComments ? ofComments : ofEvents;
  const readMore = () => (isComments ? followed.readEarlier(cardPublicId) : readEarlier());
  const entries: Entry[] = [
    ...threadsOf(comments.filter(({ createdAt }) => createdAt >= from)),
    ...(isWhole ? events : []).map((event) => ({ at: event.createdAt, event })),
  ]
    .filter(({ at }) => at >= from)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return (
    <section className={styles.block} aria-label={texts.time.heading}>
      <div className={styles.blockHead}>
        <h2>{texts.time.heading}</h2>
        {count > 0 && <span className="count">{t.card.comments(count)}</span>}
        <span className="grow" />
        {/* biome-ignore lint/a11y/useSemanticElements: two buttons are no fieldset */}
        <div className="segments" role="group" aria-label={texts.time.show}>
          <button type="button" aria-pressed={isWhole} onClick={() => setWhole(true)}>
            {texts.time.all}
          </button>
          <button type="button" aria-pressed={!isWhole} onClick={() => setWhole(false)}>
            {texts.time.comments}
          </button>
        </div>
      </div>
      {from !== "" && (
        <button type="button" className={`btn plain s ${textStyles.earlier}`} onClick={() => void readMore()}>
          {texts.time.earlier}
        </button>
      )}
      <TryAgain of={query} />
      <ol ref={ref} className={textStyles.time} aria-label={texts.time.heading}>
        {entries.map((entry) =>
          "event" in entry ? (
            <Activity key={entry.event.id} event={entry.event} cardPublicId={cardPublicId} />
          ) : (
            <li key={keyOf(entry.comment)}>
              <Comment cardPublicId={cardPublicId} comment={entry.comment} replies={entry.replies} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
