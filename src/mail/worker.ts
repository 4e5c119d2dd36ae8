// The worker of a process that sends mail: looks each second for mails that are due, writes them, hands them over to the mail
// server, and writes what became of them.

import { Backoff } from "../db/backoff.js";
import { QueueLoop, type QueueWorker, queueFigures, type WorkerParts } from "../db/queueLoop.js";
import { laidOut } from "./layout.js";
import type { Letter } from "./letters.js";
import type { LinkSettings } from "./links.js";
import { isOneTooMany } from "./mailLimits.js";
import {
  type ClaimedMail,
  claimBundles,
  claimLetters,
  finish,
  isOver,
  type MailResult,
  mailRetryInSeconds,
  oldestDueSeconds,
} from "./mailQueue.js";
import { CONNECTIONS, type Handover, type Sender } from "./smtp.js";
import { TEMPLATES } from "./templates/index.js";

/** A mail that is ready to be laid out. */
interface WrittenMail {
  address: string;
  letter: Letter;
  headers?: Readonly<Record<string, string>>;
}

/** Handles rows of the queue when they are due. */
export interface Composed {
  /** The mail that is sent now, and the rows that it covers; null if none is. */
  mail: (WrittenMail & { rows: readonly ClaimedMail[] }) | null;
  dropped: readonly ClaimedMail[];
  /** Rows that are to be sent later. */
  postponed: readonly { rows: readonly ClaimedMail[]; until: string }[];
}

/** Reads what the notifications of one account say at the moment when they are sent. */
export type Composer = (rows: readonly ClaimedMail[]) => Promise<Composed>;

/** The parts of a worker. */
interface MailerParts extends WorkerParts {
  sender: Sender;
  config: LinkSettings;
  composeNotifications: Composer;
}

/** Starts to send what is due (capabilities section 1). */
export function startMailing(parts: MailerParts): QueueWorker {
  const { db, log, sender, registry, onSuccess } = parts;
  const results = new Backoff<MailResults>(log, "storing the result of a mail");
  const accounts = new Backoff<number>(log, "mail about notifications of an account");
  const loop: QueueLoop<null, MailResults> = new QueueLoop({
    log,
    what: "mails",
    onSuccess,
    take: () => take(),
    write: async (ended, onWritten) => {
      for (const one of ended) {
        const stored = await results.run(one, async () => {
          for (const result of one.all) await finish(db, result);
          return true;
        });
        if (stored === null) continue;
        onWritten([one]);
        for (const { outcome, rows } of one.all) figures.attempts.inc({ outcome }, rows.length);
      }
    },
  });
  const texts = {
    name: "mail",
    noun: "Mail attempts",
    outcomes: "sent, retried, failed permanently, dropped or postponed",
  };
  const figures = queueFigures(registry, texts, () => loop.flights.length);

  async function take(): Promise<void> {
    figures.oldest.set(await oldestDueSeconds(db));
    const slots = CONNECTIONS - loop.flights.length;
    if (slots > 0) for (const row of await claimLetters(db, slots)) begin([row]);
    // Mails that somebody waits for are sent before notifications.
    const free = CONNECTIONS - loop.flights.length;
    if (free > 0) for (const bundle of await claimBundles(db, free, accounts)) begin(bundle);
  }

  const begin = (rows: readonly ClaimedMail[]) =>
    loop.begin(null, async (ending) => ({ all: await attempt(parts, rows, ending) }));

  loop.start();
  return {
    wake: () => loop.wake(),
    stop: async (graceMs) => {
      await loop.stop(graceMs);
      sender.close();
    },
  };
}

interface MailResults {
  all: MailResult[];
}

/** Writes and sends what was claimed together. Never throws. */
async function attempt(parts: MailerParts, rows: readonly ClaimedMail[], ending: AbortSignal): Promise<MailResult[]> {
  let composed: Composed;
  try {
    composed = await compose(parts, rows);
  } catch (error) {
    parts.log.error({ err: error, kind: rows[0]?.kind }, "a mail could not be written");
    return [resultOf(rows, { error: "The mail could not be written", isFinal: false })];
  }
  const { mail, dropped, postponed } = composed;
  const results: MailResult[] = [
    { rows: dropped, outcome: "dropped", error: null, until: null },
    ...postponed.map(
      ({ rows: later, until }): MailResult => ({ rows: later, outcome: "postponed", error: null, until }),
    ),
  ];
  const [first] = mail?.rows ?? [];
  if (mail === null || first === undefined) return results;
  const { address, headers = {}, letter } = mail;
  const handover = await parts.sender.send({ ...laidOut(letter), id: idOf(first), address, headers }, ending);
  return [...results, resultOf(mail.rows, handover)];
}

/** Names the message: the same however often it is sent. */
const idOf = ({ publicId, data }: ClaimedMail) => (typeof data?.bundle === "string" ? data.bundle : publicId);

async function compose(
  { db, config, composeNotifications }: MailerParts,
  rows: readonly ClaimedMail[],
): Promise<Composed> {
  const [row] = rows;
  if (row === undefined || row.kind === "notification") return composeNotifications(rows);
  if (row.address === null) throw new Error(`A mail of the kind ${row.kind} has no address`);
  if ((await isOver(db, row)) || (await isOneTooMany(db, row))) return { mail: null, dropped: rows, postponed: [] };
  return {
    mail: { address: row.address, letter: TEMPLATES[row.kind](row.data, config), rows },
    dropped: [],
    postponed: [],
  };
}

function resultOf(rows: readonly ClaimedMail[], { error, isFinal }: Handover): MailResult {
  if (error === null) return { rows, outcome: "sent", error, until: null };
  const isOver = isFinal || mailRetryInSeconds(rows[0]?.attempts ?? 0) === null;
  return { rows, outcome: isOver ? "failed" : "retried", error, until: null };
}
