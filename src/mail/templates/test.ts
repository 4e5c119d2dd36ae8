// The mail by which an operator finds out whether mail arrives.

import { z } from "zod";
import { template } from "./template.js";

export const test = template(z.unknown(), (_data, config) => ({
  subject: "Test mail of work-board",
  blocks: [{ paragraph: `The service at ${config.publicUrl} can send mail to this address.` }],
  reason: "You get this mail because the operator of the service tested its mail settings.",
}));
