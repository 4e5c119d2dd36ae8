import { useBoard } from "work-board-client/react";
import { useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { useIsOnline } from "../parts/network.js";
import { useUser } from "../session/user.js";
import { useStore } from "../store.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import * as textStyles from "./Text.module.css";
import { unsentComments } from "./unsentComments.js";

/** In place of the checklists and comments of a card that was not read: says why they are missing, and shows what waits to be sent. */
export function Unread({ cardPublicId }: { cardPublicId: string }) {
  const { followed } = useShownBoard();
  const user = useUser();
  const isLive = useBoard(followed, ({ status }) => status === "live");
  const isOnline = useIsOnline();
  const unsent = useStore(unsentComments, (all) => all).filter((one) => one.cardPublicId === cardPublicId);
  // It is being read.
  if (isLive && isOnline && unsent.length === 0) return null;
  return (
    <section className={styles.block} aria-label={texts.time.heading}>
      <div className={styles.blockHead}>
        <h2>{texts.time.heading}</h2>
      </div>
      {!(isLive && isOnline) && (
        <p className="hint" role="status">
          {texts.time.needsConnection}
        </p>
      )}
      <ol className={textStyles.time} aria-label={texts.time.heading}>
        {unsent.map(({ key, text }) => (
          <li key={key}>
            <Avatar name={user.name} isMe />
            <article className={textStyles.said} aria-label={texts.time.commentBy(user.name)}>
              <header>
                <b>{texts.time.you}</b>
                <span className={textStyles.when}>{texts.time.waits}</span>
              </header>
              <p className="prose plain" dir="auto">
                {text}
              </p>
            </article>
          </li>
        ))}
      </ol>
    </section>
  );
}
