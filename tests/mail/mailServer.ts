// A mail server for tests: a real one on this machine, which the queue of an application is sent to.

import type { SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import { readConfig } from "../../src/config.js";
import type { QueueWorker } from "../../src/db/queueLoop.js";
import { openSender } from "../../src/mail/smtp.js";
import { startMailing } from "../../src/mail/worker.js";
import { notificationComposer } from "../../src/notification/mailing.js";
import type { TestApp } from "../helpers/app.js";
import { type Answer, openMailServer } from "./smtpServer.js";

/** The settings of an application that sends mail; nothing listens at the address. */
export const MAIL = { MAIL_URL: "smtp://127.0.0.1:9", MAIL_FROM: "Work Board <board@example.org>" };

export const refusal = (status: number) => Object.assign(new Error("Refused by the test"), { responseCode: status });

/** Listens until the test ends. */
export async function mailServer(options: { answer?: Answer } & SMTPServerOptions = {}) {
  const server = await openMailServer(options);
  onTestFinished(server.close);
  return server;
}

/** Sends what is queued on an application's database to a mail server, until the test ends. */
export function sendMail(
  { db, app }: TestApp,
  url: string,
  { silenceMs = 15_000, onSuccess, ...env }: { silenceMs?: number; onSuccess?: () => void; APP_URL?: string } = {},
): QueueWorker {
  const config = readConfig({ ...MAIL, PUBLIC_URL: "https://board.example.org", ...env });
  const sender = openSender({ url, from: MAIL.MAIL_FROM }, { silenceMs, sendMs: 30_000 });
  const worker = startMailing({
    db,
    log: app.log,
    config,
    sender,
    composeNotifications: notificationComposer(db, config),
    ...(onSuccess && { onSuccess }),
  });
  onTestFinished(() => worker.stop(0));
  return worker;
}
