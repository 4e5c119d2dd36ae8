// Wakes the readers of the log after a commit: those in this process immediately, those in others by NOTIFY, batched and outside of
// any transaction. A signal carries no data and may be lost, so readers read the log itself, and also without a signal from time to
// time.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Database, oncePer } from "../db/client.js";
import type { Channel } from "../db/driver.js";
import { addTouched, type Touched, untouched } from "../db/touched.js";

/** Called with the keys of what one or several commits may have touched. */
type CommitListener = (touched: Touched) => void;

/** The commits of all processes on a database. */
interface CommitSignal {
  /** Calls `listener` soon after each commit, until the returned function is called. It must not throw or take long. */
  subscribe(listener: CommitListener): () => void;
}

const CHANNEL = "work_board";
/** The maximum time between two messages to other processes; commits in between share one. */
const BATCH_MS = 20;
/** A payload is shorter than 8000 bytes; a key has at most 16 digits. */
const MAX_KEYS = 400;

const Keys = z.array(z.int());
const Message = z.object({ from: z.string(), workspaces: Keys, accounts: Keys, queued: Keys });

function parsed(payload: string): z.output<typeof Message> | null {
  try {
    return Message.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

/** Splits keys into as many messages as they need. */
function messagesOf(from: string, { workspaces, accounts, queued }: Touched): string[] {
  const keys = [
    ...[...workspaces].map((id) => ["workspaces", id] as const),
    ...[...accounts].map((id) => ["accounts", id] as const),
    ...[...queued].map((id) => ["queued", id] as const),
  ];
  const messages: string[] = [];
  for (let start = 0; start < keys.length; start += MAX_KEYS) {
    const message: z.output<typeof Message> = { from, workspaces: [], accounts: [], queued: [] };
    for (const [kind, id] of keys.slice(start, start + MAX_KEYS)) message[kind].push(id);
    messages.push(JSON.stringify(message));
  }
  return messages;
}

/** Reports commits to other processes: immediately after a quiet time, otherwise once every BATCH_MS. */
class Announcer {
  readonly #channel: Channel;
  readonly #from: string;
  #waiting = untouched();
  #isResting = false;

  constructor(channel: Channel, from: string) {
    this.#channel = channel;
    this.#from = from;
  }

  readonly announce = (touched: Touched): void => {
    addTouched(this.#waiting, touched);
    if (!this.#isResting) this.#flush();
  };

  #flush(): void {
    const messages = messagesOf(this.#from, this.#waiting);
    if (messages.length === 0) return;
    this.#waiting = untouched();
    for (const message of messages) this.#channel.send(message);
    this.#isResting = true;
    void sleep(BATCH_MS, undefined, { ref: false }).then(() => {
      this.#isResting = false;
      this.#flush();
    });
  }
}

/** Opens the commit signal of a database; it lives as long as the database. */
function openCommitSignal(db: Database): CommitSignal {
  const listeners = new Set<CommitListener>();
  const notify = (touched: Touched) => {
    for (const listener of listeners) listener(touched);
  };
  const self = randomBytes(9).toString("base64url");
  const channel = db.openChannel(CHANNEL, (payload) => {
    const message = parsed(payload);
    if (message === null || message.from === self) return;
    const { workspaces, accounts, queued } = message;
    notify({ workspaces: new Set(workspaces), accounts: new Set(accounts), queued: new Set(queued) });
  });
  db.onCommit(notify);
  if (channel !== null) db.onCommit(new Announcer(channel, self).announce);
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The commit signal of a database, opened on first use. A process that changes anything opens it, to inform the others. */
export const commitSignalOf = oncePer(openCommitSignal);
