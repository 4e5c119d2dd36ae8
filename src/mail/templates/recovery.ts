// The mails with links that recover an account, and those that confirm, change and restore its address.

import { z } from "zod";
import { inLine, say } from "../letters.js";
import { LINK_LIFETIMES } from "../linkLifetimes.js";
import { linkTo } from "../links.js";
import { template } from "./template.js";

const NOT_ASKED = "If you did not ask for it, ignore this mail: nothing changes.";

const validFor = (kind: keyof typeof LINK_LIFETIMES) => ({
  paragraph: `The link is valid for ${LINK_LIFETIMES[kind].text} and works once.`,
});

/** With a token: the link. Without: the account has no password, and signs in at providers. */
export const passwordReset = template(
  z.union([z.object({ token: z.string() }), z.object({ providers: z.array(z.string()) })]),
  (data, config) => ({
    subject: "Reset your password",
    blocks:
      "token" in data
        ? [
            { paragraph: "Somebody asked to reset the password of your account." },
            { button: { label: "Set a new password", url: linkTo(config, "reset", data.token) } },
            validFor("passwordReset"),
          ]
        : [
            { paragraph: "Somebody asked to reset the password of your account, which has none." },
            { paragraph: say`Sign in with ${data.providers.join(", ") || "your provider"} as before.` },
          ],
    reason: `You get this mail because your address was entered on the page that resets passwords. ${NOT_ASKED}`,
  }),
);

export const emailVerification = template(z.object({ token: z.string() }), ({ token }, config) => ({
  subject: "Confirm your address",
  blocks: [
    { paragraph: "Confirm that this is your address, so that you can be notified and recover your account." },
    { button: { label: "Confirm the address", url: linkTo(config, "confirm", token) } },
    validFor("emailVerification"),
  ],
  reason: `You get this mail because an account with this address asked for it. ${NOT_ASKED}`,
}));

export const emailChange = template(z.object({ token: z.string() }), ({ token }, config) => ({
  subject: "Confirm your new address",
  blocks: [
    { paragraph: "Somebody wants to use this address for their account." },
    { button: { label: "Use this address", url: linkTo(config, "confirm", token) } },
    validFor("emailChange"),
  ],
  reason: `You get this mail because this address was entered as the new one of an account. ${NOT_ASKED}`,
}));

/** Goes to the old address, whose link undoes the change. */
export const emailChanged = template(
  z.object({ token: z.string(), newEmail: z.string() }),
  ({ token, newEmail }, config) => ({
    subject: "The address of your account was changed",
    blocks: [
      { paragraph: `Your account now uses the address ${inLine(newEmail)}.` },
      { paragraph: "If it was not you, restore this address. That ends all sessions and reset links." },
      { button: { label: "Restore this address", url: linkTo(config, "confirm", token) } },
      validFor("emailRestore"),
    ],
    reason: "You get this mail because this was the address of the account.",
  }),
);
