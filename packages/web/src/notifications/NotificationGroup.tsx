import { Check, Clock } from "lucide";
import { useRef } from "react";
import { Link } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { useFocusOnReturn } from "../board/focus.js";
import { Avatar } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { datesLang, shortTime } from "../parts/times.js";
import { texts } from "../texts/later.js";
import type { Group } from "./groups.js";
import * as styles from "./Notifications.module.css";
import { markRead, type Notification } from "./notifications.js";

/** The notifications about a card, whose link marks all of them as read, or about a workspace. */
export function NotificationGroup({ group: { publicId, card, workspace, notifications } }: { group: Group }) {
  return (
    <section className="group" aria-labelledby={`about-${publicId}`}>
      <h2>
        {card === null ? (
          <span id={`about-${publicId}`} className="truncate" dir="auto">
            {workspace.name}
          </span>
        ) : (
          <CardLink id={`about-${publicId}`} card={card} notifications={notifications} />
        )}
        {card !== null && (
          <span className="count truncate" dir="auto">
            {workspace.name}
          </span>
        )}
      </h2>
      <ul className="rows">
        {notifications.map((one) => (
          <Notice key={one.publicId} notification={one} />
        ))}
      </ul>
    </section>
  );
}

interface CardLinkProps {
  id: string;
  card: NonNullable<Group["card"]>;
  notifications: Group["notifications"];
}

function CardLink({ id, card, notifications }: CardLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useFocusOnReturn(card.publicId, link);
  return (
    <Link
      ref={link}
      id={id}
      className="link truncate"
      href={`/cards/${card.publicId}`}
      state={FROM_PAGE}
      dir="auto"
      onClick={() => void markRead(notifications)}
    >
      {`${card.cardPrefix}-${card.cardNumber} ${card.title}`}
    </Link>
  );
}

function Notice({ notification }: { notification: Notification }) {
  const text = texts.notifications;
  const { type, actor, workspace, createdAt, readAt } = notification;
  const isNew = readAt === null;
  const what = text.what[type](actor.name, workspace.name);
  const row = useRef<HTMLLIElement>(null);
  const read = () => {
    // The button goes away.
    row.current?.focus();
    void markRead([notification]);
  };
  return (
    <li ref={row} className={isNew ? `${styles.notice} ${styles.isNew}` : styles.notice} tabIndex={-1}>
      <span className={styles.pip}>{isNew && <span className="sr">{text.isUnread}</span>}</span>
      {type === "card.due" ? (
        <span className="av none" aria-hidden="true">
          <Icon of={Clock} isSmall />
        </span>
      ) : (
        <Avatar name={actor.name} />
      )}
      <p className={styles.what} dir="auto">
        {what}
      </p>
      <span className={styles.when}>
        <time lang={datesLang} dateTime={createdAt}>
          {shortTime(createdAt, new Date())}
        </time>
        {isNew && (
          <button className="btn plain icon s" type="button" aria-label={text.markRead(what)} onClick={read}>
            <Icon of={Check} />
          </button>
        )}
      </span>
    </li>
  );
}
