// The table that a run prints, and the same as JSON, so that runs can be compared.

import type { Traffic } from "./wire.js";

/** One operation on one server, over all rounds. */
export interface Result {
  operation: string;
  connections: number;
  server: string;
  /** Requests a second: the median of the rounds. */
  rate: number;
  p50Ms: number;
  p99Ms: number;
  /** The server's own processor time per request, without its database's; hardly changes with what else the machine does. */
  cpuMs: number | null;
  /** Per request; null where nothing was counted. */
  traffic: Traffic | null;
  /** The rate as a share of the floor's, the median of the rounds; null for the floor, and where there is none. */
  ratio: number | null;
}

/** The further figures of a server. */
export interface Standing {
  server: string;
  startMs: number;
  idleMiB: number | null;
  loadedMiB: number | null;
}

export const median = (values: readonly number[]): number => at(values, 0.5);

/** The value below which a share of the values lies. */
export function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const milliseconds = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const shownRate = (rate: number) => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
const cells = (...values: string[]) => `| ${values.join(" | ")} |`;

/** The results as a table in Markdown. */
export function tableOf(results: readonly Result[], standings: readonly Standing[]): string {
  const lines = [
    cells(
      "operation",
      "connections",
      "server",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "CPU ms",
      "statements",
      "round trips",
      "of the floor",
    ),
    "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ...results.map(({ operation, connections, server, rate, p50Ms, p99Ms, cpuMs, traffic, ratio }) =>
      cells(
        operation,
        String(connections),
        server,
        shownRate(rate),
        milliseconds(p50Ms),
        milliseconds(p99Ms),
        cpuMs === null ? "" : cpuMs.toFixed(2),
        traffic === null ? "" : String(traffic.statements),
        traffic === null ? "" : String(traffic.roundTrips),
        ratio === null ? "" : ratio.toFixed(2),
      ),
    ),
    "",
    cells("server", "ready after ms", "MiB idle", "MiB under load"),
    "|---|---:|---:|---:|",
    ...standings.map(({ server, startMs, idleMiB, loadedMiB }) =>
      cells(server, String(Math.round(startMs)), String(idleMiB ?? ""), String(loadedMiB ?? "")),
    ),
  ];
  return lines.join("\n");
}
