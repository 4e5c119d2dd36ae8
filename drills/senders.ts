// Processes of the service that send mail, each to a mail server of its own, and are killed and started again.

import type { Environment, Service } from "../tests/helpers/spawned.js";
import { type Arrived, openMailServer } from "../tests/mail/smtpServer.js";
import { defectsOf, freePort, type Run, readyAfter } from "./harness.js";
import type { Store } from "./stores.js";

export const PROCESSES = 2;
/** The most mails that a process hands over at once. */
export const CONNECTIONS = 4;

/** The mail server's treatment of a mail that it has taken, before it says so. */
export type OnTaken = (mail: Arrived, process: number) => void | Promise<void>;

/** Processes of the service on one database, each with a mail server of its own, which tells them apart. */
export class Senders {
  readonly #run: Run;
  readonly #environments: Environment[] = [];
  /** Those that run, and those that were killed. */
  readonly all: Service[] = [];
  readonly running: Service[] = [];

  private constructor(run: Run) {
    this.#run = run;
  }

  static async start(run: Run, store: Store, onTaken: OnTaken): Promise<Senders> {
    const senders = new Senders(run);
    for (let process = 0; process < PROCESSES; process += 1) {
      const mailServer = await openMailServer({ answer: (mail) => onTaken(mail, process) });
      run.onEnd(() => {
        mailServer.cut();
        return mailServer.close();
      });
      senders.#environments.push({
        ...store.env,
        PORT: String(await freePort()),
        MAIL_URL: mailServer.url,
        MAIL_FROM: "Work Board <board@example.org>",
        PUBLIC_URL: "https://board.example.org",
      });
      await senders.#serve(process);
    }
    return senders;
  }

  async #serve(process: number): Promise<void> {
    const service = await this.#run.serve(this.#environments[process] ?? {});
    await readyAfter(service.url);
    this.running[process] = service;
    this.all.push(service);
  }

  url(process: number): string {
    return this.running[process % PROCESSES]?.url ?? "";
  }

  /** Ends processes with kill -9, does something while they are dead, and starts them again. */
  async kill(processes: readonly number[], meanwhile: () => Promise<void>): Promise<void> {
    const killed = processes.flatMap((process) => this.running[process] ?? []);
    for (const { signal } of killed) signal("SIGKILL");
    await Promise.all(killed.map(({ ended }) => ended));
    await meanwhile();
    await Promise.all(processes.map((process) => this.#serve(process)));
  }

  /** Ends all in order, and judges how. */
  async stop(name: string): Promise<void> {
    for (const { signal } of this.running) signal("SIGTERM");
    const codes = await Promise.all(this.running.map(({ ended }) => ended));
    const wrong = codes.filter((code) => code !== 0);
    this.#run.none(`${name}, processes that did not end in order`, wrong.length, wrong);
    const defects = this.all.flatMap(defectsOf);
    this.#run.none(`${name}, uncaught errors`, defects.length, defects);
  }
}
