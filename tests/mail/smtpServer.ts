// A mail server on this machine, with STARTTLS and a login, and what arrived there. Knows nothing of the test runner: drills use it too.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { CERTIFICATE, KEY } from "../webhook/certificate.js";

export interface Arrived extends Email {
  /** The address of the envelope. */
  recipient: string;
  raw: string;
}

const LOGIN = { user: "board", pass: "p@ss word" };

/** What the server answers to the mail that it just got, as an SMTP reply, or nothing when it is taken; `held` never resolves. */
export type Answer = (mail: Arrived) => void | Promise<void>;

/** Listens until `close`. `url` has the login and trusts the certificate; `cut` ends all connections. */
export async function openMailServer({ answer = () => {}, ...options }: { answer?: Answer } & SMTPServerOptions = {}) {
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
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const { port } = server.server.address() as AddressInfo;
  const login = `${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}`;
  return { url: `smtp://${login}@127.0.0.1:${port}?tls.rejectUnauthorized=false`, arrived, port, cut, close };
}
