// The health of the workers of this process: the time of the last success of each for `/metrics`, the stopped ones for `/ready`.

import { Gauge, type Registry } from "prom-client";

interface Worker {
  lastSuccess: number;
  limitMs: number;
}

/** The workers of a process by name, with the time of the last success of each. */
export class WorkerHealth {
  readonly #workers = new Map<string, Worker>();

  constructor(registry: Registry | undefined) {
    const workers = this.#workers;
    new Gauge({
      name: "worker_last_success_timestamp_seconds",
      help: "When a worker of this process last ended a round without an error; at first, when it started",
      labelNames: ["worker"],
      registers: registry === undefined ? [] : [registry],
      collect() {
        for (const [worker, { lastSuccess }] of workers) this.set({ worker }, lastSuccess / 1000);
      },
    });
  }

  /** Adds a worker, which has stopped once it does not succeed for `limitMs`. Returns what it calls after each success. */
  add(name: string, limitMs: number): () => void {
    const worker = { lastSuccess: Date.now(), limitMs };
    this.#workers.set(name, worker);
    return () => {
      worker.lastSuccess = Date.now();
    };
  }

  /** The names of the workers that have stopped. */
  stopped(): string[] {
    const now = Date.now();
    return [...this.#workers].flatMap(([name, { lastSuccess, limitMs }]) =>
      now - lastSuccess > limitMs ? [name] : [],
    );
  }
}
