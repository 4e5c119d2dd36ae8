// The texts in English of pages that are loaded when they are first shown, apart from `en.ts`, which every visit loads.

export const roles = { admin: "Admin", member: "Member", guest: "Guest" };

export const enLater = {
  roles,
  links: {
    reset: {
      heading: "Set a new password",
      password: "New password",
      set: "Set the password",
      done: "Your password is set",
      doneText: "Sign in with it now. All other sessions were ended.",
    },
    request: {
      heading: "Reset your password",
      text: "We send a link to your address. It is valid for an hour.",
      send: "Send the link",
      sent: "Look into your mail",
      sentText: "If the address has an account, a link is on its way. It may take a minute.",
      noMail: "This server sends no mail. Ask its operator for a link to set a new password.",
    },
    confirm: {
      heading: "Confirm your e-mail address",
      text: "Confirm that you want your account to use this address.",
      confirm: "Confirm the address",
      done: "The address is confirmed",
      doneText: (email: string) => `Your account uses ${email}.`,
    },
    unsubscribe: {
      heading: "Stop these mails",
      text: "You will no longer get mail about notifications.",
      unsubscribe: "Unsubscribe",
      done: "You are unsubscribed",
      doneText: "You can switch these mails on again in your settings.",
    },
    incomplete: {
      heading: "The link is not complete",
      text: "Open it from the mail again.",
    },
    signIn: "Sign in",
    goOn: "Go to your boards",
  },
  invitation: {
    join: (workspace: string) => `Join ${workspace}`,
    text: {
      admin: "You are invited as an admin.",
      member: "You are invited as a member.",
      guest: "You are invited as a guest.",
    },
    as: (name: string) => `You are signed in as ${name}.`,
    accept: "Join",
    other: "Use another account",
    unusable: "The invitation cannot be used",
    ended: "It has expired, or was used or revoked. Ask for a new one.",
  },
};

/** A language. */
export type LaterTexts = typeof enLater;
