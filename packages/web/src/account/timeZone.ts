// The time zone of an account, which begins as UTC: this browser sets its own once. What the reader chooses later stays.

import { client, type User } from "../client.js";
import { stored } from "../stored.js";

const done = stored("work-board.timeZone");

/** Sets the time zone of an account while it was never set. */
export async function setTimeZone({ publicId, timeZone }: User): Promise<void> {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (timeZone !== "UTC" || here === "UTC" || done.get() === publicId) return;
  done.set(publicId);
  await client.user.notificationSettings.update.mutate({ timeZone: here });
}
