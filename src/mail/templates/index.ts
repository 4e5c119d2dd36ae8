// The templates by the kind of mail. Notifications have none: what they say is read when they are sent.

import type { MailKind } from "../newMail.js";
import { invitation } from "./invitation.js";
import { notice } from "./notice.js";
import { emailChange, emailChanged, emailVerification, passwordReset } from "./recovery.js";
import type { Template } from "./template.js";

export const TEMPLATES: Readonly<Record<Exclude<MailKind, "notification">, Template>> = {
  invitation,
  passwordReset,
  emailVerification,
  emailChange,
  emailChanged,
  notice,
};
