// The health of the workers of this process: the time of the last success of each for `/metrics`, the stopped ones for `/ready`.

import { Gauge, type Registry } from "prom-client";

interface Worker {
  /** The time that the metric shows: milliseconds of the system's clock. */
  lastSuccessAt: number;
  /** By a steady clock, so that no worker counts as stopped because the system's clock was set. */
  lastSuccessMs: number;
  limitMs: number;
}

const succeeded = () => ({ lastSuccessAt: Date.now(), lastSuccessMs: performance.now() });

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
        for (const [worker, { lastSuccessAt }] of workers) this.set({ worker }, lastSuccessAt / 1000);
      },
    });
  }

  /** Adds a worker, which has stopped once it does not succeed for `limitMs`. Returns what it calls after each success. */
  add(name: string, limitMs: number): () => void {
    const worker = { ...succeeded(), limitMs };
    this.#workers.set(name, worker);
    return () => void Object.assign(worker, succeeded());
  }

  /** The names of the workers that have stopped. */
  stopped(): string[] {
    const now = performance.now();
    return [...this.#workers].flatMap(([name, { lastSuccessMs, limitMs }]) =>
      now - lastSuccessMs > limitMs ? [name] : [],
    );
  }
}
