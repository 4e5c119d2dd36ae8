// The time zone of an account, which begins as UTC: each browser sets its own at most once. What the reader chooses later stays.

import { client, type User } from "../client.js";
import { stored } from "../stored.js";

const { timeZone: named } = Intl.DateTimeFormat().resolvedOptions();

/** The time zone of the browser: UTC where the device has none, for which browsers have names of their own. */
export const here = named === "Etc/Unknown" ? "UTC" : named;

/** Sets the time zone of an account while it was never set. */
export async function setTimeZone({ publicId, timeZone }: User): Promise<void> {
  const done = stored(`work-board.timeZone.${publicId}`);
  if (timeZone !== "UTC" || here === "UTC" || done.get() !== null) return;
  await client.user.notificationSettings.update.mutate({ timeZone: here });
  done.set("yes");
}
