// Mail of two processes to a real mail server: each once where nothing is killed; at least once and under one Message-ID where
// processes are killed between the server's acceptance and the row's update; and none to people who lost access meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Arrived } from "../tests/mail/smtpServer.js";
import { insist, made, newAddress, type Send, sender, signUp } from "./calls.js";
import { drill, type Run } from "./harness.js";
import { CONNECTIONS, PROCESSES, Senders } from "./senders.js";
import type { Store } from "./stores.js";

const MAILS = 200;
/** Half of what a workspace may have mailed a day, and an account. */
const OF_WORKSPACE = 50;
const INVITERS = 40;
/** Longer than leases of mails are. */
const EMPTY_LIMIT_MS = 120_000;
/** The time without a further mail after which it is sure that nothing is sent twice. */
const QUIET_MS = 2000;
/** Results are gathered this long before they are written. */
const GATHER_MS = 40;

/** Invitations by mail, and what was answered. */
class Invitations {
  /** The addresses of those that were acknowledged, and of those whose answer a kill took. */
  readonly acknowledged = new Set<string>();
  readonly maybe = new Set<string>();
  readonly withoutMail: string[] = [];
  readonly #senders: Senders;
  readonly #tokens: readonly string[];
  #workspaces = 0;

  constructor(senders: Senders, tokens: readonly string[]) {
    this.#senders = senders;
    this.#tokens = tokens;
  }

  /** Invites addresses through all processes, from several workspaces, until it is enough. */
  async write(isEnough: () => boolean, pauseMs = 0): Promise<void> {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, client) => {
        for (let count = client; !isEnough(); ) {
          const token = this.#tokens[this.#workspaces++ % this.#tokens.length] ?? "";
          const sends = this.#senders.running.map(({ url }) => sender(url, token));
          const send = sends[count % sends.length];
          if (send === undefined) return;
          const workspace = await made(send, "/workspaces", { name: `Workspace of ${client}` });
          for (let invited = 0; invited < OF_WORKSPACE && !isEnough(); invited += 1) {
            count += 1;
            await this.#invite(sends[count % sends.length] ?? send, workspace);
            await sleep(pauseMs);
          }
        }
      }),
    );
  }

  async #invite(send: Send, workspace: string): Promise<void> {
    const email = newAddress();
    const { status, body } = await send("POST", `/workspaces/${workspace}/members/invite`, { email });
    if (status === 200) this.acknowledged.add(email);
    else this.maybe.add(email);
    if (status === 200 && body.mailed !== true) this.withoutMail.push(email);
  }
}

/** The mails that servers took, by recipient. */
class Arrivals {
  readonly #byAddress = new Map<string, Arrived[]>();

  take(mail: Arrived): void {
    this.#byAddress.set(mail.recipient, [...this.to(mail.recipient), mail]);
  }

  to(address: string): Arrived[] {
    return this.#byAddress.get(address) ?? [];
  }

  get count(): number {
    return [...this.#byAddress.values()].reduce((sum, mails) => sum + mails.length, 0);
  }

  get repeats(): number {
    return this.count - this.#byAddress.size;
  }

  /** Of the addresses that were invited: those that got nothing, more than one message, or one message with other words. */
  against({ acknowledged, maybe }: Invitations) {
    const all = [...this.#byAddress];
    const differ = (by: (mail: Arrived) => unknown) => all.filter(([, mails]) => new Set(mails.map(by)).size > 1);
    return {
      lost: [...acknowledged].filter((address) => this.to(address).length === 0),
      uninvited: all.map(([address]) => address).filter((to) => !acknowledged.has(to) && !maybe.has(to)),
      renamed: differ(({ messageId }) => messageId).map(([address]) => address),
      changed: differ(({ subject, text }) => `${subject}\n${text}`).map(([address]) => address),
      severalTimes: differ((mail) => mail).map(([address]) => address),
    };
  }
}

/** The queue as its table has it. */
async function queueOf(store: Store): Promise<{ pending: number; tried: number; ended: Record<string, number> }> {
  const db = await store.open();
  const rows = await db.rows<{ status: string; mails: number; tried: number }>(sql`
    select status, count(*)::int as mails, count(*) filter (where attempts > 1)::int as tried from mail group by status`);
  await db.close();
  const ended = Object.fromEntries(rows.map(({ status, mails }) => [status, mails]));
  return { pending: ended.pending ?? 0, tried: rows.reduce((sum, { tried }) => sum + tried, 0), ended };
}

/** Waits until nothing is to be sent any more, and for a while longer. */
async function emptied(store: Store): Promise<void> {
  const end = performance.now() + EMPTY_LIMIT_MS;
  while ((await queueOf(store)).pending > 0 && performance.now() < end) await sleep(100);
  await sleep(QUIET_MS);
}

/** Ends the leases of processes that are dead, which the long form waits for. */
async function endLeases(store: Store): Promise<void> {
  const db = await store.open();
  await db.rows(sql`update mail set next_attempt_at = now() where status = 'pending'`);
  await db.close();
}

/** Makes accounts that count as having verified their addresses, by no mail: other invitations are not mailed. Gives their tokens. */
async function inviters(store: Store, url: string, count = INVITERS): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(await signUp(url));
  const db = await store.open();
  await db.rows(sql`update account set email_verified_at = now()`);
  await db.close();
  return tokens;
}

async function sendOnce(run: Run, store: Store): Promise<void> {
  const name = "two processes";
  const arrivals = new Arrivals();
  const of = Array.from({ length: PROCESSES }, () => 0);
  const senders = await Senders.start(run, store, (mail, process) => {
    arrivals.take(mail);
    of[process] = (of[process] ?? 0) + 1;
  });
  const invitations = new Invitations(senders, await inviters(store, senders.url(0)));
  await invitations.write(() => invitations.acknowledged.size >= MAILS);
  await emptied(store);
  await senders.stop(name);

  const { lost, uninvited, severalTimes } = arrivals.against(invitations);
  const { pending, tried, ended } = await queueOf(store);
  run.report(`${name}, mails sent by each`, of.join(" and "));
  run.some(`${name}, invitations acknowledged`, invitations.acknowledged.size);
  run.none(`${name}, invitations refused`, invitations.maybe.size);
  run.none(`${name}, invitations whose mail was refused`, invitations.withoutMail.length);
  run.none(`${name}, processes that sent nothing`, of.filter((count) => count === 0).length);
  run.none(`${name}, mails that never arrived`, lost.length, lost);
  run.none(`${name}, mails that arrived more than once`, severalTimes.length, severalTimes);
  run.none(`${name}, mails that nobody asked for`, uninvited.length, uninvited);
  run.none(`${name}, mails left in the queue`, pending);
  run.none(`${name}, mails that were tried more than once`, tried);
  run.none(`${name}, mails that did not end as sent`, arrivals.count - (ended.sent ?? 0));
}

/** Tells of the next mail that a server has taken, and holds the server's answer. */
class Held {
  #taken: ((process: number) => void) | undefined;
  #answered: Promise<void> = Promise.resolve();
  #answer = () => {};

  /** Resolves with the process whose mail is held until `answer`. */
  next(): Promise<number> {
    this.#answered = new Promise((resolve) => {
      this.#answer = resolve;
    });
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  async take(process: number): Promise<void> {
    if (this.#taken === undefined) return;
    this.#taken(process);
    this.#taken = undefined;
    await this.#answered;
  }

  answer(): void {
    this.#answer();
  }
}

async function killWhileSending(run: Run, store: Store, kills: number): Promise<void> {
  const name = "kill -9";
  const arrivals = new Arrivals();
  const held = new Held();
  const senders = await Senders.start(run, store, (mail, process) => {
    arrivals.take(mail);
    return held.take(process);
  });
  const invitations = new Invitations(senders, await inviters(store, senders.url(0)));
  let left = kills;
  const isEnough = () => left === 0 && invitations.acknowledged.size >= MAILS;
  const written = invitations.write(isEnough, run.isShort ? 10 : 100);
  for (; left > 0; left -= 1) {
    const holder = await held.next();
    // In turn before the server's answer, and after it, while the row's update is under way.
    if (left % 2 === 0) {
      held.answer();
      await sleep(run.random() * GATHER_MS);
    }
    const killed = run.isShort ? [...senders.running.keys()] : [holder];
    await senders.kill(killed, async () => {
      if (run.isShort) await endLeases(store);
    });
    held.answer();
    await sleep(run.random() * run.seconds({ long: 2, short: 0.3 }));
  }
  await written;
  await emptied(store);
  await senders.stop(name);

  const { lost, uninvited, renamed, changed } = arrivals.against(invitations);
  const { pending, tried, ended } = await queueOf(store);
  run.report(`${name}, kills`, kills);
  run.report(`${name}, mails taken`, arrivals.count);
  run.report(`${name}, mails that were tried more than once`, tried);
  run.some(`${name}, invitations acknowledged`, invitations.acknowledged.size);
  run.some(`${name}, mails sent again after a kill`, arrivals.repeats);
  run.atMost(kills * CONNECTIONS * (run.isShort ? PROCESSES : 1), `${name}, repeats`, arrivals.repeats);
  run.none(`${name}, invitations whose mail was refused`, invitations.withoutMail.length);
  run.none(`${name}, mails that never arrived`, lost.length, lost);
  run.none(`${name}, mails under more than one Message-ID`, renamed.length, renamed);
  run.none(`${name}, repeats with other words`, changed.length, changed);
  run.none(`${name}, mails that nobody asked for`, uninvited.length, uninvited);
  run.none(`${name}, mails left in the queue`, pending);
  run.none(`${name}, mails given up or dropped`, (ended.failed ?? 0) + (ended.dropped ?? 0));
}

/** Somebody with a verified address who belongs to a workspace. */
interface Person {
  email: string;
  memberPublicId: string;
  send: Send;
}

async function join(url: string, owner: Send, workspace: string, arrivals: Arrivals): Promise<Person> {
  const email = newAddress();
  const send = sender(url, await signUp(url, email));
  const { inviteCode } = await insist(owner, "POST", `/workspaces/${workspace}/invites`);
  await insist(send, "POST", "/invites/accept", { inviteCode });
  await insist(send, "POST", "/users/me/email/verify", {});
  while (arrivals.to(email).length === 0) await sleep(50);
  const [, token = ""] = /\/account\/confirm#token=(\S+)/.exec(arrivals.to(email)[0]?.text ?? "") ?? [];
  await insist(send, "POST", "/auth/email/confirm", { token: decodeURIComponent(token) });
  const members = (await insist(owner, "GET", `/workspaces/${workspace}/members`)) as unknown as {
    publicId: string;
    email: string | null;
  }[];
  const memberPublicId = members.find((member) => member.email === email)?.publicId ?? "";
  return { email, memberPublicId, send };
}

/** A board with a card, which the owner may comment on. */
async function makeCard(owner: Send, workspace: string, name: string) {
  const board = await made(owner, `/workspaces/${workspace}/boards`, { name });
  const list = await made(owner, "/lists", { name, boardPublicId: board });
  return { board, card: await made(owner, "/cards", { title: name, listPublicId: list }) };
}

async function loseAccess(run: Run, store: Store): Promise<void> {
  const name = "lost access";
  const arrivals = new Arrivals();
  let opened: Promise<void> = Promise.resolve();
  let open = () => {};
  let waiting = 0;
  const senders = await Senders.start(run, store, async (mail) => {
    arrivals.take(mail);
    waiting += 1;
    await opened;
    waiting -= 1;
  });
  const url = senders.url(0);
  const [token = ""] = await inviters(store, url, 1);
  const owner = sender(url, token);
  // Otherwise mail about who joins waits for the pause between two mails to a person.
  await insist(owner, "PUT", "/users/me/notification-settings", { email: { membership: "off" } });
  const workspace = await made(owner, "/workspaces", { name: "Access" });
  const shared = await makeCard(owner, workspace, "Shared");
  const hidden = await makeCard(owner, workspace, "Hidden");
  const names = ["stays", "removed", "disabled", "unseeing", "reader"] as const;
  const people = new Map<string, Person>();
  for (const who of names) people.set(who, await join(url, owner, workspace, arrivals));
  const personOf = (who: string): Person => {
    const person = people.get(who);
    if (person === undefined) throw new Error(`Nobody is called ${who}`);
    return person;
  };
  // Joining is told of, too.
  await emptied(store);
  const before = new Map([...people].map(([who, { email }]) => [who, arrivals.to(email).length]));

  // Every connection of every process is busy: what is queued from now on waits.
  opened = new Promise((resolve) => {
    open = resolve;
  });
  const invite = (email: string) => insist(owner, "POST", `/workspaces/${workspace}/members/invite`, { email });
  const fillers = Array.from({ length: PROCESSES * CONNECTIONS }, newAddress);
  for (const email of fillers) await invite(email);
  while (waiting < fillers.length) await sleep(20);
  const mention = (who: string) => `@[Ada](${personOf(who).memberPublicId})`;
  const comment = { comment: ["stays", "removed", "disabled", "reader"].map(mention).join(" ") };
  await insist(owner, "POST", `/cards/${shared.card}/comments`, comment);
  await insist(owner, "POST", `/cards/${hidden.card}/comments`, { comment: mention("unseeing") });
  const revoked = newAddress();
  const invitation = await invite(revoked);

  const membersPath = `/workspaces/${workspace}/members`;
  await insist(owner, "DELETE", `${membersPath}/${personOf("removed").memberPublicId}`);
  await insist(owner, "DELETE", `${membersPath}/${invitation.publicId}`);
  await insist(owner, "PUT", `/boards/${hidden.board}`, { visibility: "private" });
  await insist(personOf("reader").send, "POST", "/notifications/read-all", {});
  const disabling = run.command(store.env, "user", "disable", personOf("disabled").email);
  run.none(`${name}, exit code of the command that disables an account`, (await disabling.ended) ?? 1);
  run.none(`${name}, people to whom something was sent before they lost access`, waiting - fillers.length);
  open();
  await emptied(store);
  await senders.stop(name);

  const since = (who: string) => arrivals.to(personOf(who).email).slice(before.get(who));
  const [kept, ...more] = since("stays");
  run.none(`${name}, mails missing for somebody who kept access`, kept?.subject?.includes("mentioned you") ? 0 : 1);
  run.none(`${name}, mails too many for somebody who kept access`, more.length);
  const farewells = since("removed").filter(({ subject }) => subject === "Ada removed you from Access");
  run.some(`${name}, mails that tell somebody of the removal`, farewells.length);
  run.none(`${name}, other mails to somebody who was removed`, since("removed").length - farewells.length);
  run.none(`${name}, mails to an account that was disabled`, since("disabled").length);
  run.none(`${name}, mails to somebody who does not see the board any more`, since("unseeing").length);
  run.none(`${name}, mails of what was read before`, since("reader").length);
  run.none(`${name}, mails of an invitation that was revoked`, arrivals.to(revoked).length);
  const { pending, ended } = await queueOf(store);
  run.some(`${name}, mails dropped`, ended.dropped ?? 0);
  run.none(`${name}, mails left in the queue`, pending);
}

await drill("mail", async (run) => {
  const store = await run.postgres();
  await sendOnce(run, store);
  await killWhileSending(run, store, run.isShort ? 4 : 20);
  await loseAccess(run, store);
});
