// The only session of a PGlite, over PostgreSQL's wire protocol: several statements per message, each prepared once. PGlite's own
// `query` needs six calls, takes two to five times as long, and leaves the parameters in its errors.

import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type PGlite, protocol } from "@electric-sql/pglite";
import type { Param, RowMode } from "../driver.js";
import { connectionError } from "../failures.js";
import { isoInstant } from "../instants.js";

/** One statement and its parameters. */
export interface Statement {
  text: string;
  params: readonly Param[];
}

/** The answer of the database. */
export type ProtocolMessage = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number];

/** The storage of the database: `failure` is set when it could not be made durable, `fatalOutput` when PostgreSQL gave up. */
interface Storage {
  readonly failure: unknown;
  readonly fatalOutput: string | undefined;
}

const { serialize } = protocol;
const { CommandCompleteMessage, DatabaseError, DataRowMessage, ReadyForQueryMessage, RowDescriptionMessage } =
  protocol.messages;

const MAX_PARAMS = 65_535;
const MAX_PREPARED = 500;
/** Longer ones are built for one use, such as inserts of many rows. */
const MAX_PREPARED_LENGTH = 10_000;
/** PGlite runs on the main thread and never waits: the rest of the process would stand still while statements queue. */
const MAX_BUSY_MS = 10;

/** A prepared statement. */
interface Prepared {
  name: string;
  /** Describes its rows, null where it gives none; undefined until it ran. */
  description: InstanceType<typeof RowDescriptionMessage> | null | undefined;
}

export class EmbeddedSession {
  readonly #pg: PGlite;
  readonly #storage: Storage;
  readonly #onFailure: ((failure: Error) => void) | undefined;
  /** By text, least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  #names = 0;
  #busySince = 0;
  #status = "I";
  #broken: Error | undefined;

  constructor(pg: PGlite, storage: Storage, onFailure?: (failure: Error) => void) {
    this.#pg = pg;
    this.#storage = storage;
    this.#onFailure = onFailure;
  }

  /** Throws once the database has failed for good. */
  mustBeWhole(): void {
    if (this.#broken) throw this.#broken;
  }

  /** Whether a transaction is open, failed or not. */
  get isInTransaction(): boolean {
    return this.#status !== "I";
  }

  /** Runs statements until one fails, in one message, and throws that one's error, a DatabaseError with `code`. */
  async run(statements: Statement[]): Promise<ProtocolMessage[]> {
    const added: string[] = [];
    const run: Prepared[] = [];
    const parts = statements.flatMap((statement) => this.#encode(statement, added, run));
    const messages = await this.#exchange(Buffer.concat([...parts, serialize.sync()]));
    const parsed = messages.filter((message) => message.name === "parseComplete").length;
    for (const text of added.slice(parsed)) this.#prepared.delete(text);
    return described(succeeded(messages), run);
  }

  /** Runs SQL of many statements, without parameters. */
  async script(text: string): Promise<ProtocolMessage[]> {
    return succeeded(await this.#exchange(serialize.query(text)));
  }

  async forgetPrepared(): Promise<void> {
    this.#prepared.clear();
    await this.script("deallocate all");
  }

  async checkpoint(): Promise<void> {
    await this.script("checkpoint");
  }

  async dump(): Promise<Blob> {
    await this.checkpoint();
    return this.#pg.dumpDataDir("none");
  }

  async close(): Promise<void> {
    // After a failed fsync the checkpoint of a clean end would vouch for what is not on disk; recovery reads the log.
    if (!this.#broken) await this.#pg.close();
  }

  /** The messages that run a statement. A description takes longer to read than its rows, and is asked for once. */
  #encode({ text, params }: Statement, added: string[], run: Prepared[]): Uint8Array[] {
    if (params.length > MAX_PARAMS) throw new RangeError(`A statement takes at most ${MAX_PARAMS} parameters`);
    const values = params.map((param) => (param === null ? null : String(param)));
    const known = this.#prepared.get(text);
    const newName = () => (text.length > MAX_PREPARED_LENGTH ? "" : `s${++this.#names}`);
    const prepared = known ?? { name: newName(), description: undefined };
    const { name, description } = prepared;
    const preparing = known === undefined ? [...this.#evict(), serialize.parse({ name, text })] : [];
    if (known === undefined) added.push(text);
    if (name) {
      this.#prepared.delete(text);
      this.#prepared.set(text, prepared);
    }
    run.push(prepared);
    return [
      ...preparing,
      serialize.bind({ statement: name, values }),
      ...(description === undefined ? [serialize.describe({ type: "P" })] : []),
      serialize.execute({}),
    ];
  }

  #evict(): Uint8Array[] {
    if (this.#prepared.size < MAX_PREPARED) return [];
    const [oldest] = this.#prepared;
    if (!oldest) return [];
    const [text, { name }] = oldest;
    this.#prepared.delete(text);
    return [serialize.close({ type: "S", name })];
  }

  async #exchange(message: Uint8Array): Promise<ProtocolMessage[]> {
    if (performance.now() - this.#busySince > MAX_BUSY_MS) {
      await eventLoopTurn();
      this.#busySince = performance.now();
    }
    this.mustBeWhole();
    let cause: unknown;
    const messages = await this.#pg
      .execProtocolStream(message, { syncToFs: false, throwOnError: false })
      .catch((error: unknown): ProtocolMessage[] => {
        cause = error;
        return [];
      });
    const ready = messages.findLast((answer) => answer instanceof ReadyForQueryMessage);
    if (this.#storage.failure || !ready) throw this.#fail(this.#storage.failure ?? cause);
    this.#status = ready.status;
    return messages;
  }

  #fail(cause: unknown): Error {
    const { fatalOutput } = this.#storage;
    const text =
      fatalOutput === undefined ? "The embedded database failed" : `The embedded database failed: ${fatalOutput}`;
    this.#broken = connectionError("CONNECTION_BROKEN", text, cause);
    this.#onFailure?.(this.#broken);
    return this.#broken;
  }
}

function succeeded(messages: ProtocolMessage[]): ProtocolMessage[] {
  const error = messages.find((message) => message instanceof DatabaseError);
  if (error) throw error;
  return messages;
}

/** The messages of the statements that ran, each with the description of its rows, which is kept. */
function described(messages: ProtocolMessage[], run: readonly Prepared[]): ProtocolMessage[] {
  let bound = 0;
  let current: Prepared | undefined;
  return messages.flatMap((message) => {
    if (message.name === "bindComplete") {
      current = run[bound];
      bound += 1;
      return current?.description ? [message, current.description] : message;
    }
    if (current !== undefined && message instanceof RowDescriptionMessage) current.description = message;
    else if (current !== undefined && message.name === "noData") current.description = null;
    return message;
  });
}

/** Whether `messages` say that a COMMIT took place. */
export function committed(messages: ProtocolMessage[]): boolean {
  return messages.some((message) => message instanceof CommandCompleteMessage && message.text === "COMMIT");
}

const asJson = (text: string): unknown => JSON.parse(text);
/** By the type's oid; every other type stays text. */
const DECODERS = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [20, Number],
  [21, Number],
  [23, Number],
  [114, asJson],
  [3802, asJson],
  [1114, isoInstant],
  [1184, isoInstant],
]);

interface Column {
  name: string;
  decode: ((text: string) => unknown) | undefined;
}

/** The rows of the last statement that returns any, decoded as driver.ts says. */
export function rowsOf(messages: ProtocolMessage[], mode: RowMode): unknown[] {
  let columns: Column[] = [];
  let rows: unknown[] = [];
  for (const message of messages) {
    if (message instanceof RowDescriptionMessage) {
      columns = message.fields.map(({ name, dataTypeID }) => ({ name, decode: DECODERS.get(dataTypeID) }));
      rows = [];
    } else if (message instanceof DataRowMessage) {
      rows.push(mode === "array" ? arrayOf(columns, message.fields) : objectOf(columns, message.fields));
    }
  }
  return rows;
}

function arrayOf(columns: Column[], fields: (string | null)[]): unknown[] {
  return fields.map((field, index) => decoded(columns[index], field));
}

function objectOf(columns: Column[], fields: (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let place = 0;
  for (const column of columns) {
    row[column.name] = decoded(column, fields[place] ?? null);
    place += 1;
  }
  return row;
}

function decoded(column: Column | undefined, field: string | null): unknown {
  return field === null || !column?.decode ? field : column.decode(field);
}
