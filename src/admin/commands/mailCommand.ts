// `work-board mail test`: whether the mail server takes a mail, and what it says if not.

import { z } from "zod";
import { newPublicId } from "../../db/ids.js";
import { laidOut } from "../../mail/layout.js";
import { openSender } from "../../mail/smtp.js";
import { testLetter } from "../../mail/templates/test.js";
import { Email } from "../../user/userShapes.js";
import { CommandError, operatorCommand } from "./command.js";

export const mailTest = operatorCommand({
  name: "mail test",
  usage: "ADDRESS",
  summary: "send a mail to ADDRESS, and tell what the mail server answers",
  positionals: ["address"],
  input: z.strictObject({ address: Email }),
  async *run({ config, ending }, { address }) {
    if (config.mail === null) throw new CommandError("MAIL_URL is not set: the service sends no mail");
    const sender = openSender(config.mail);
    try {
      const { error } = await sender.send({ ...laidOut(testLetter(config)), id: newPublicId(), address }, ending);
      if (error !== null) throw new CommandError(error);
      yield `The mail server took a mail to ${address}`;
    } finally {
      sender.close();
    }
  },
});
