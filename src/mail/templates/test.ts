// The mail by which an operator finds out whether mail arrives.

import type { Letter } from "../letters.js";
import type { LinkSettings } from "../links.js";

export const testLetter = ({ publicUrl }: LinkSettings): Letter => ({
  subject: "Test mail of work-board",
  blocks: [{ paragraph: `The service at ${publicUrl} can send mail to this address.` }],
  reason: "You get this mail because the operator of the service tested its mail settings.",
});
