import { Bell } from "lucide";
import { Link, useLocation } from "wouter";
import { Icon } from "../parts/Icon.js";
import { useUnread } from "../session/start.js";
import { t } from "../texts/index.js";

/** Leads to the notifications, and says how many are unread. */
export function NotificationsLink({ className }: { className?: string | undefined }) {
  const unread = useUnread();
  const [location] = useLocation();
  const href = "/notifications";
  return (
    <Link className={className} href={href} aria-current={location === href ? "page" : undefined}>
      <Icon of={Bell} />
      <span className="sr">{t.frame.notificationsUnread(unread)}</span>
      <span className="truncate" aria-hidden="true">
        {t.frame.notifications}
      </span>
      {unread > 0 && (
        <span className="count unread" aria-hidden="true">
          {unread}
        </span>
      )}
    </Link>
  );
}
