// Wakes whoever reads the log, after a commit: those in this process at once, those in others by NOTIFY, batched and outside of
// any transaction. A wake says that something may be new, never what, and one may be lost: readers read the log itself, and look
// there from time to time without being woken.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Database, oncePer, type Touched } from "../db/client.js";
import type { Channel } from "../db/driver.js";

/** Called with the keys of workspaces whose log may have grown or that may be gone, and of accounts that may have been told something. */
export type CommitListener = (workspaceIds: ReadonlySet<number>, accountIds: ReadonlySet<number>) => void;

/** The commits of every process on a database. */
export interface CommitSignal {
  /** Calls `listener` soon after each commit, until the function it returns is called. It must not throw, and not take long. */
  subscribe(listener: CommitListener): () => void;
}

const CHANNEL = "work_board";
/** The most commits share one message, and nobody in another process waits longer for one. */
const BATCH_MS = 20;
/** A payload is shorter than 8000 bytes; a key has at most 16 digits. */
const MAX_KEYS = 400;

const Keys = z.array(z.int());
const Message = z.object({ from: z.string(), workspaces: Keys, accounts: Keys });

function parsed(payload: string): z.output<typeof Message> | null {
  try {
    return Message.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

/** Cuts keys into as many messages as they need. */
function messagesOf(from: string, { workspaces, accounts }: Touched): string[] {
  const keys = [
    ...[...workspaces].map((id) => ["workspaces", id] as const),
    ...[...accounts].map((id) => ["accounts", id] as const),
  ];
  const messages: string[] = [];
  for (let start = 0; start < keys.length; start += MAX_KEYS) {
    const message: z.output<typeof Message> = { from, workspaces: [], accounts: [] };
    for (const [kind, id] of keys.slice(start, start + MAX_KEYS)) message[kind].push(id);
    messages.push(JSON.stringify(message));
  }
  return messages;
}

/** Tells other processes of commits: at once after a quiet time, else once every BATCH_MS. */
class Announcer {
  readonly #channel: Channel;
  readonly #from: string;
  #waiting = { workspaces: new Set<number>(), accounts: new Set<number>() };
  #isResting = false;

  constructor(channel: Channel, from: string) {
    this.#channel = channel;
    this.#from = from;
  }

  readonly announce = ({ workspaces, accounts }: Touched): void => {
    for (const id of workspaces) this.#waiting.workspaces.add(id);
    for (const id of accounts) this.#waiting.accounts.add(id);
    if (!this.#isResting) this.#flush();
  };

  #flush(): void {
    const messages = messagesOf(this.#from, this.#waiting);
    if (messages.length === 0) return;
    this.#waiting = { workspaces: new Set(), accounts: new Set() };
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
  const tell = (workspaces: ReadonlySet<number>, accounts: ReadonlySet<number>) => {
    for (const listener of listeners) listener(workspaces, accounts);
  };
  const self = randomBytes(9).toString("base64url");
  const channel = db.openChannel(CHANNEL, (payload) => {
    const message = parsed(payload);
    if (message !== null && message.from !== self) tell(new Set(message.workspaces), new Set(message.accounts));
  });
  db.onCommit(({ workspaces, accounts }) => tell(workspaces, accounts));
  if (channel !== null) db.onCommit(new Announcer(channel, self).announce);
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * The commit signal of a database, opened when first asked for. A process that changes anything has to ask for it once, or the others
 * hear of its changes late.
 */
export const commitSignalOf = oncePer(openCommitSignal);
