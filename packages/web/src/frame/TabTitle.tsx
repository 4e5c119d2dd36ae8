import { useUnread } from "../session/start.js";
import { t } from "../texts/index.js";

/** The title of the browser's tab: how many notifications are unread, and the page. */
export function TabTitle({ of: page }: { of: string }) {
  return <title>{t.title(page, useUnread())}</title>;
}
