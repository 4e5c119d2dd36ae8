// The time zone of an account, which begins as UTC: each browser sets its own at most once. What the reader chooses later stays.

import { client, type User } from "../client.js";
import { stored } from "../stored.js";

/** Sets the time zone of an account while it was never set. */
export async function setTimeZone({ publicId, timeZone }: User): Promise<void> {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const done = stored(`work-board.timeZone.${publicId}`);
  if (timeZone !== "UTC" || here === "UTC" || done.get() !== null) return;
  done.set("yes");
  await client.user.notificationSettings.update.mutate({ timeZone: here });
}
