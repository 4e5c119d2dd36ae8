// The mail to somebody who was invited to a workspace by address.

import { z } from "zod";
import { say } from "../letters.js";
import { LINK_LIFETIMES } from "../linkLifetimes.js";
import { inviteLinkTo } from "../links.js";
import { template } from "./template.js";

export const invitation = template(
  z.object({ code: z.string(), workspaceName: z.string(), inviterName: z.string() }),
  ({ code, workspaceName, inviterName }, config) => ({
    subject: say`${inviterName} invited you to ${workspaceName}`,
    blocks: [
      { paragraph: say`${inviterName} invited you to work together in ${workspaceName}.` },
      { button: { label: "Accept the invitation", url: inviteLinkTo(config, code) } },
      { paragraph: `The link is valid for ${LINK_LIFETIMES.invitation.text} and works once.` },
    ],
    reason: "You get this mail because somebody entered your address. If you do not know them, ignore it.",
  }),
);
