// The time zone of an account, which begins as UTC: each browser sets its own at most once. What the reader chooses later stays.

import { client, type User } from "../client.js";
import { stored } from "../stored.js";

const { timeZone: named } = Intl.DateTimeFormat().resolvedOptions();

/** The names of no time zone: of a device without one, and of Firefox where it hides the zone; Iceland has the time of UTC. */
const UNKNOWN = ["Etc/Unknown", "Atlantic/Reykjavik"];

/** The time zone of the browser: UTC if it names none. */
export const here = UNKNOWN.includes(named) ? "UTC" : named;

/** Sets the time zone of an account while it was never set. */
export async function setTimeZone({ publicId, timeZone }: User): Promise<void> {
  const done = stored(`work-board.timeZone.${publicId}`);
  if (timeZone !== "UTC" || here === "UTC" || done.get() !== null) return;
  await client.user.notificationSettings.update.mutate({ timeZone: here });
  done.set("yes");
}
