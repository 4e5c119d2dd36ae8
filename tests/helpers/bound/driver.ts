// A driver that refuses statements of the service which touch a table of workspaces without binding it to one workspace: they would
// visit every server of a distributed database. What visits several on purpose says so (`src/db/acrossWorkspaces.ts`).

import { ACROSS } from "../../../src/db/acrossWorkspaces.js";
import type { Driver, Param, TransactionConnection } from "../../../src/db/driver.js";
import { type Binding, bindingOf } from "./statement.js";

/** Each text is read once in a process. */
const read = new Map<string, Binding>();

function bindingOnce(text: string): Binding {
  const known = read.get(text) ?? bindingOf(text);
  read.set(text, known);
  return known;
}

const NAMED = /\/\* across workspaces: (.+?) \*\//;

/** A change that has the time of the database within COALESCE or CASE: Citus refuses it where it visits several shards. */
const CLOCKED = /^\s*(?:with\b.*)?\bupdate\b.*\b(?:coalesce|case)\b.*\bnow\(\)/is;

/** What is wrong with a statement, by its text and the workspaces that it is given; null where nothing is. */
export function wrongWith(text: string, params: readonly Param[]): string | null {
  const { unbound, workspaces } = bindingOnce(text);
  const name = NAMED.exec(text)?.[1];
  if (name !== undefined && !(name in ACROSS)) return `"${name}" is no statement that may visit several workspaces`;
  if (name !== undefined)
    return CLOCKED.test(text) ? "now() within COALESCE or CASE, in a change of several workspaces" : null;
  if (unbound.length > 0) return `bound to no workspace: ${unbound.join(", ")}`;
  const given = workspaces.map((constants) => constants.map((constant) => givenAs(constant, params)));
  const [first = [], ...others] = given;
  if (given.length === 0 || first.some((one) => others.every((other) => other.includes(one)))) return null;
  return `bound to several workspaces: ${given.map((constants) => constants.join(" and ")).join(", ")}`;
}

const givenAs = (constant: string, params: readonly Param[]) =>
  constant.startsWith("$") ? String(params[Number(constant.slice(1)) - 1]) : constant;

/** Whether a test wrote the statement, to look at what is stored or to set the scene: the nearest code that is not of the database. */
export function isOfTest(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const lines = new Error().stack?.split("\n").slice(1) ?? [];
  Error.stackTraceLimit = stackTraceLimit;
  const foreign = /node_modules|node:|\/(src|dist)\/db\/|\/tests\/helpers\/(bound|databases|explained)/;
  const nearest = lines.find((line) => /\.[cm]?[jt]s:\d/.test(line) && !foreign.test(line));
  return nearest?.includes("/tests/") ?? false;
}

/** What was refused in this process, and nobody was told of yet. */
const refusals: Error[] = [];

/** Fails where something was refused since it was last called: whoever sent it may not have told. */
export function mustHaveRefusedNothing(): void {
  const refused = refusals.splice(0);
  if (refused.length > 0) throw new AggregateError(refused, refused.map(({ message }) => message).join("\n\n"));
}

/** Puts the refusal in front of a driver. */
export function bound(driver: Driver, onRefusal = (error: Error) => void refusals.push(error)): Driver {
  function checked<T>(text: string, params: readonly Param[], send: () => Promise<T>): Promise<T> {
    const wrong = wrongWith(text, params);
    if (wrong === null || isOfTest()) return send();
    const error = new Error(`${wrong}, in:\n${text}`);
    onRefusal(error);
    return Promise.reject(error);
  }
  const inside = (connection: TransactionConnection): TransactionConnection => ({
    query: (text, params, mode) => checked(text, params, () => connection.query(text, params, mode)),
    last: (text, params, mode) => checked(text, params, () => connection.last(text, params, mode)),
  });
  return {
    isDistributed: driver.isDistributed,
    query: (text, params, mode) => checked(text, params, () => driver.query(text, params, mode)),
    transaction: (run, workspaceId) => driver.transaction((connection) => run(inside(connection)), workspaceId),
    ...(driver.noteServers !== undefined && { noteServers: driver.noteServers.bind(driver) }),
    migrate: (run) => driver.migrate(run),
    snapshot: (tables, run) => driver.snapshot(tables, run),
    ...(driver.refuseWrites !== undefined && { refuseWrites: driver.refuseWrites.bind(driver) }),
    ...(driver.freeBytes !== undefined && { freeBytes: driver.freeBytes.bind(driver) }),
    ...(driver.openChannel !== undefined && { openChannel: driver.openChannel.bind(driver) }),
    ping: (...args) => driver.ping(...args),
    asOnlyProcess: (...args) => driver.asOnlyProcess(...args),
    waitingMs: () => driver.waitingMs(),
    close: () => driver.close(),
  };
}
