// A mail server for tests: a real one on this machine, and what arrived there.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import type { QueueWorker } from "../../src/api/queueLoop.js";
import { readConfig } from "../../src/config.js";
import { openSender } from "../../src/mail/smtp.js";
import { startMailing } from "../../src/mail/worker.js";
import { notificationComposer } from "../../src/notification/mailing.js";
import type { TestApp } from "../helpers/app.js";
import { CERTIFICATE, KEY } from "../webhook/certificate.js";

/** The settings of an application that sends mail; nothing listens at the address. */
export const MAIL = { MAIL_URL: "smtp://127.0.0.1:9", MAIL_FROM: "Work Board <board@example.org>" };

/** A mail as it arrived. */
export interface Arrived extends Email {
  /** The address of the envelope. */
  recipient: string;
  raw: string;
}

const LOGIN = { user: "board", pass: "p@ss word" };

/** What the server answers to the mail that it just got, as an SMTP reply, or nothing when it is taken; `held` never resolves. */
type Answer = (mail: Arrived) => void | Promise<void>;

/** An answer that refuses. */
export const refusal = (status: number) => Object.assign(new Error("Refused by the test"), { responseCode: status });

/** Listens until the test ends. `url` has the login and trusts the certificate; `cut` ends all connections. */
export async function mailServer({ answer = () => {}, ...options }: { answer?: Answer } & SMTPServerOptions = {}) {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    key: KEY,
    cert: CERTIFICATE,
    authMethods: ["PLAIN"],
    onAuth: ({ username, password }, { secure }, callback) => {
      const isRight = secure && username === LOGIN.user && password === LOGIN.pass;
      callback(isRight ? null : new Error("Wrong login"), { user: username });
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks).toString();
        const mail = { ...(await PostalMime.parse(raw)), raw, recipient: envelope.rcptTo[0]?.address ?? "" };
        try {
          await answer(mail);
          arrived.push(mail);
          callback();
        } catch (error) {
          callback(error instanceof Error ? error : new Error(String(error)));
        }
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { port } = server.server.address() as AddressInfo;
  const login = `${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}`;
  return { url: `smtp://${login}@127.0.0.1:${port}?tls.rejectUnauthorized=false`, arrived, port, cut };
}

/** Sends what is queued on an application's database to a mail server, until the test ends. */
export function sendMail(
  { db, app }: TestApp,
  url: string,
  { silenceMs = 15_000, ...env }: { silenceMs?: number; APP_URL?: string } = {},
): QueueWorker {
  const config = readConfig({ ...MAIL, PUBLIC_URL: "https://board.example.org", ...env });
  const sender = openSender({ url, from: MAIL.MAIL_FROM }, { silenceMs, sendMs: 30_000 });
  const worker = startMailing({
    db,
    log: app.log,
    config,
    sender,
    composeNotifications: notificationComposer(db, config),
  });
  onTestFinished(() => worker.stop(0));
  return worker;
}
