// Hands mail to an SMTP server, a few at a time, and reports the result of each. Nothing that a server says is passed on as text: it
// may repeat addresses.

import { createTransport } from "nodemailer";
import type { LaidOut } from "./layout.js";

/** The most mails that a process hands over at once. */
export const CONNECTIONS = 4;
/** The longest time for handing over one mail, and the longest silence of a server meanwhile. */
const SMTP_LIMITS = { sendMs: 30_000, silenceMs: 15_000 };
/** The number of mails per connection. */
const MESSAGES_PER_CONNECTION = 100;

/** A mail that is ready to be handed over. */
interface OutgoingMail extends LaidOut {
  /** The left side of its `Message-ID`. */
  id: string;
  address: string;
  headers?: Readonly<Record<string, string>>;
}

/** The outcome of handing over a mail: `error` is null if the server took it, and `isFinal` if another attempt is of no use. */
export interface Handover {
  error: string | null;
  isFinal: boolean;
}

/** A connection to a mail server. */
export interface Sender {
  /** Hands over one mail, until `ending` is aborted at the latest. Never throws. */
  send(message: OutgoingMail, ending?: AbortSignal): Promise<Handover>;
  /** Connects and signs in, and describes in one line what is wrong; null if nothing is. */
  problem(): Promise<string | null>;
  /** Closes all connections. */
  close(): void;
}

const FROM = /^(?:(.+) )?<(.+)>$/;

/** A sender as `MAIL_FROM` has it, by its parts. */
function senderOf(from: string): { name: string; address: string } {
  const [, name = "", address = from] = FROM.exec(from) ?? [];
  return { name, address };
}

const propertyOf = (error: unknown, name: string): unknown =>
  error instanceof Error && name in error ? Reflect.get(error, name) : undefined;

/** A server that refuses the person or the message will do so again; one that refuses us may be set right. */
function isFinal(error: unknown): boolean {
  const status = Number(propertyOf(error, "responseCode"));
  const command = String(propertyOf(error, "command"));
  return status >= 500 && status < 600 && (command.startsWith("RCPT") || command.startsWith("DATA"));
}

const isAboutTls = (error: unknown) =>
  error instanceof Error && /certificate|self.signed|\bSSL\b|\bTLS\b/i.test(error.message);

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Describes a failure in words of our own. */
function problemOf(error: unknown, isOver: boolean, { address, host }: { address: string; host: string }): string {
  const status = propertyOf(error, "responseCode");
  const code = String(propertyOf(error, "code"));
  if (isFinal(error) && BEYOND_ASCII.test(address))
    return `The mail server ${host} answered ${status} to an address with letters beyond ASCII: it must support SMTPUTF8`;
  if (code === "EAUTH") return "The mail server did not accept the login";
  if (typeof status === "number") return `The mail server answered ${status}`;
  if (isOver || code === "ETIMEDOUT") return "The mail server did not answer in time";
  if (code === "ETLS" || isAboutTls(error)) return "No secure connection to the mail server could be made";
  if (code === "EDNS") return "The name of the mail server could not be resolved";
  return "The connection to the mail server failed";
}

/** Opens a sender; connections are made when they are needed. */
export function openSender({ url, from }: { url: string; from: string }, limits = SMTP_LIMITS): Sender {
  const sender = senderOf(from);
  const host = new URL(url).hostname;
  const domain = sender.address.slice(sender.address.lastIndexOf("@") + 1);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: MESSAGES_PER_CONNECTION,
    // The queue repeats what failed, and counts it.
    maxRequeues: 0,
    connectionTimeout: limits.silenceMs,
    greetingTimeout: limits.silenceMs,
    socketTimeout: limits.silenceMs,
    dnsTimeout: limits.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ id, address, headers, ...parts }, ending) => {
      const limit = AbortSignal.timeout(limits.sendMs);
      const signal = ending === undefined ? limit : AbortSignal.any([limit, ending]);
      try {
        await transport.sendMail({
          ...parts,
          from: sender,
          to: { name: "", address },
          messageId: `<${id}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated", ...headers },
          signal,
        });
        return { error: null, isFinal: false };
      } catch (error) {
        if (ending?.aborted) return { error: "The service stopped during the attempt", isFinal: false };
        return { error: problemOf(error, limit.aborted, { address, host }), isFinal: isFinal(error) };
      }
    },
    problem: async () => {
      try {
        await transport.verify();
        return null;
      } catch (error) {
        return problemOf(error, false, { address: "", host });
      }
    },
    close: () => transport.close({ force: true }),
  };
}
