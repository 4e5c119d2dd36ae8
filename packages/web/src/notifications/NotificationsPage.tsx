// The reader's notifications by card, live. Loaded when it is first shown.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Check } from "lucide";
import { useState } from "react";
import { Page } from "../frame/Frame.js";
import { Button } from "../parts/Button.js";
import { Icon } from "../parts/Icon.js";
import { More } from "../parts/More.js";
import { TryAgain } from "../parts/TryAgain.js";
import { useUnread } from "../session/start.js";
import { texts } from "../texts/later.js";
import { groupsOf } from "./groups.js";
import { NotificationGroup } from "./NotificationGroup.js";
import * as styles from "./Notifications.module.css";
import { markAllRead, notifications } from "./notifications.js";

export default function NotificationsPage() {
  const text = texts.notifications;
  const [isUnread, setUnread] = useState(false);
  const list = useInfiniteQuery(notifications(isUnread));
  const unread = useUnread();
  const groups = groupsOf(list.data?.pages.flat() ?? []);
  return (
    <Page heading={text.heading} tools={<Tools unread={unread} isUnread={isUnread} show={setUnread} />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="scroll" tabIndex={0} aria-label={text.heading}>
        <div className={`page narrow ${styles.notices}`} aria-busy={list.data === undefined && list.error === null}>
          <TryAgain of={list} />
          {groups.map((group) => (
            <NotificationGroup key={group.publicId} group={group} />
          ))}
          {list.data !== undefined && groups.length === 0 && (
            <p className="empty">{isUnread ? text.noneUnread : text.none}</p>
          )}
          <More of={list} className="btn">
            {text.earlier}
          </More>
        </div>
      </section>
    </Page>
  );
}

function Tools({ unread, isUnread, show }: { unread: number; isUnread: boolean; show: (isUnread: boolean) => void }) {
  const text = texts.notifications;
  return (
    <>
      <fieldset className="segments" aria-label={text.show}>
        <button type="button" aria-pressed={!isUnread} onClick={() => show(false)}>
          {text.all}
        </button>
        <button type="button" aria-pressed={isUnread} onClick={() => show(true)}>
          {text.unread}
        </button>
      </fieldset>
      <Button className="btn" isOff={unread === 0} onClick={() => void markAllRead()}>
        <Icon of={Check} />
        <span>{text.markAllRead}</span>
      </Button>
    </>
  );
}
