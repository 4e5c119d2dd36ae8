// Clients that write without pause and keep books: of what was acknowledged, and of what may have happened because its answer
// never came. Afterwards the books are held against what the service says, and the database against itself.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Database } from "../src/db/client.js";
import type { Service } from "../tests/helpers/spawned.js";
import { type Answer, type Send, sender, signUp } from "./calls.js";
import { defectsOf, type Run } from "./harness.js";
import type { Store } from "./stores.js";

/** A value as the books know it: the last one acknowledged, and any other that may have been written. */
interface Known {
  sure: string;
  maybe: Set<string>;
  /** Every value that was sent, in the order of the answers. */
  sent: string[];
}

interface CardBook {
  publicId: string;
  title: Known;
  list: Known;
  comments: { sure: number; maybe: number };
}

/** The acknowledged state of a card at one moment. */
interface MarkedCard {
  card: CardBook;
  title: MarkedValue;
  list: MarkedValue;
  comments: number;
}

interface MarkedValue {
  sure: string;
  maybe: ReadonlySet<string>;
  /** Of the values that were sent, how many had been answered. */
  answered: number;
}

/** The acknowledged state at one moment; later answers may be there as well. */
export type Mark = readonly MarkedCard[];

interface BoardBody {
  lists: { publicId: string; cards: { publicId: string; title: string; index: number; commentCount: number }[] }[];
}

const LISTS = 4;
/** Cards a client makes; after that it works on those. */
const CARDS_A_CLIENT = 60;
/** Cards that a client moves at once. */
const BULK = 20;
const PAUSE_MS = 20;
/** The number of calls that may look on at once, beside the clients. */
const ONLOOKERS = 64;

interface LoadOptions {
  send: Send;
  look: () => Promise<Answer>;
  workspace: string;
  board: string;
  lists: string[];
  isHalf?: boolean;
}

/** Writers on one board, and their books. */
export class Load {
  /** The number of times that each answer came: `200`, `503`, `ECONNRESET` … */
  readonly outcomes = new Map<string, number>();
  /** Every call, with its time by `performance.now()`. */
  readonly calls: { sentAt: number; status: number; code: string; path: string }[] = [];
  readonly #cards: CardBook[] = [];
  readonly #run: Run;
  /** Calls as the person whose board it is. */
  readonly send: Send;
  /** Asks as a person with a workspace of their own, what no two askers share the answer of. */
  readonly look: () => Promise<Answer>;
  readonly workspace: string;
  readonly board: string;
  readonly #lists: string[];
  #clients: Promise<void>[] = [];
  #stopping = false;
  /** Whether clients rest as long as each answer took: half of what the service can do. */
  readonly #isHalf: boolean;
  #titles = 0;

  constructor(run: Run, { send, look, workspace, board, lists, isHalf = false }: LoadOptions) {
    this.#run = run;
    this.send = send;
    this.look = look;
    this.workspace = workspace;
    this.board = board;
    this.#lists = lists;
    this.#isHalf = isHalf;
  }

  get acknowledged(): number {
    return this.outcomes.get("200") ?? 0;
  }

  /** Calls that were answered with something else, or not at all. */
  get refused(): number {
    return this.calls.length - this.acknowledged;
  }

  start(clients: number): this {
    this.#clients = Array.from({ length: clients }, () => this.#write());
    return this;
  }

  /** Lets every client have its last answer. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#clients);
  }

  /** Prints what came back. */
  report(name: string): void {
    const counts = [...this.outcomes].sort().map(([code, count]) => `${code} × ${count}`);
    this.#run.report(name, counts.join(", "));
  }

  /** Answers that say neither success nor, politely, that there is none now; and what came instead of answers. */
  get unexpected(): string[] {
    return [...this.outcomes.keys()].filter((code) => code !== "200" && code !== "503");
  }

  /** Notes what is acknowledged by now. */
  mark(): Mark {
    const marked = ({ sure, maybe, sent }: Known) => ({ sure, maybe: new Set(maybe), answered: sent.length });
    return this.#cards.map((card) => ({
      card,
      title: marked(card.title),
      list: marked(card.list),
      comments: card.comments.sure,
    }));
  }

  /** The acknowledged writes, up to now or up to a mark, that are missing, one line each. */
  async lost(mark: Mark = this.mark()): Promise<string[]> {
    const { status, body } = await this.send("GET", `/boards/${this.board}`);
    if (status !== 200) throw new Error(`the board was answered with ${status}`);
    const found = new Map<string, { title: string; list: string; comments: number }>();
    const lost: string[] = [];
    for (const list of (body as unknown as BoardBody).lists) {
      for (const [index, card] of list.cards.entries()) {
        if (card.index !== index) lost.push(`index ${card.index} at ${index} of list ${list.publicId}`);
        found.set(card.publicId, { title: card.title, list: list.publicId, comments: card.commentCount });
      }
    }
    for (const { card, title, list, comments } of mark) {
      const { publicId } = card;
      const now = found.get(publicId);
      const most = card.comments.sure + card.comments.maybe;
      if (now === undefined) lost.push(`card ${publicId}`);
      else if (!isKnown(card.title, title, now.title))
        lost.push(`title of ${publicId}: "${now.title}" instead of "${title.sure}"`);
      else if (!isKnown(card.list, list, now.list))
        lost.push(`place of ${publicId}: ${now.list} instead of ${list.sure}`);
      else if (now.comments < comments || now.comments > most)
        lost.push(`comments of ${publicId}: ${now.comments} instead of ${comments}`);
    }
    return lost;
  }

  /** One client: its cards are its own, so the order of its writes is known. */
  async #write(): Promise<void> {
    const own: CardBook[] = [];
    while (!this.#stopping) {
      const card = own[Math.floor(this.#run.random() * own.length)];
      const begun = performance.now();
      const acknowledged = await this.#step(own, card);
      if (this.#isHalf) await sleep(performance.now() - begun);
      if (!acknowledged) await sleep(PAUSE_MS * (0.5 + this.#run.random()));
    }
  }

  #step(own: CardBook[], card: CardBook | undefined): Promise<boolean> {
    const choice = this.#run.random();
    if (card === undefined || (choice < 0.3 && own.length < CARDS_A_CLIENT)) return this.#create(own);
    if (choice < 0.6) return this.#rename(card);
    if (choice < 0.78) return this.#move(card);
    if (choice < 0.8) return this.#moveMany(own.slice(-BULK));
    return this.#comment(card);
  }

  async #create(own: CardBook[]): Promise<boolean> {
    const [title, list] = [this.#title(), this.#list()];
    const publicId = await this.#acknowledged("POST", "/cards", { title, listPublicId: list });
    if (publicId === null) return false;
    const card: CardBook = {
      publicId,
      title: { sure: title, maybe: new Set(), sent: [title] },
      list: { sure: list, maybe: new Set(), sent: [list] },
      comments: { sure: 0, maybe: 0 },
    };
    own.push(card);
    this.#cards.push(card);
    return true;
  }

  async #rename(card: CardBook): Promise<boolean> {
    const title = this.#title();
    return note(card.title, title, await this.#acknowledged("PUT", `/cards/${card.publicId}`, { title }));
  }

  async #move(card: CardBook): Promise<boolean> {
    const [listPublicId, index] = [this.#list(), Math.floor(this.#run.random() * 20)];
    const answer = await this.#acknowledged("PUT", `/cards/${card.publicId}`, { listPublicId, index });
    return note(card.list, listPublicId, answer);
  }

  async #moveMany(cards: CardBook[]): Promise<boolean> {
    const listPublicId = this.#list();
    const cardPublicIds = cards.map(({ publicId }) => publicId);
    const answer = await this.#acknowledged("POST", "/cards/bulk/move", { cardPublicIds, listPublicId });
    for (const { list } of cards) note(list, listPublicId, answer);
    return answer !== null;
  }

  async #comment({ publicId, comments }: CardBook): Promise<boolean> {
    const answer = await this.#acknowledged("POST", `/cards/${publicId}/comments`, { comment: this.#title() });
    comments[answer === null ? "maybe" : "sure"] += 1;
    return answer !== null;
  }

  /** The answer's identifier; null where there was no success. */
  async #acknowledged(method: string, path: string, body: unknown): Promise<string | null> {
    const sentAt = performance.now();
    const { status, code, body: answer } = await this.send(method, path, body);
    this.calls.push({ sentAt, status, code, path });
    this.outcomes.set(code, (this.outcomes.get(code) ?? 0) + 1);
    if (status !== 200) return null;
    return String(answer.publicId);
  }

  #title(): string {
    this.#titles += 1;
    return `Number ${this.#titles}`;
  }

  #list(): string {
    return this.#lists[Math.floor(this.#run.random() * this.#lists.length)] ?? "";
  }
}

const isKnown = ({ sent }: Known, { sure, maybe, answered }: MarkedValue, value: string) =>
  value === sure || maybe.has(value) || sent.includes(value, answered);

/** A write without an answer may come to pass even after later ones: what may be stays so. */
function note(known: Known, value: string, answer: string | null): boolean {
  known.sent.push(value);
  if (answer === null) known.maybe.add(value);
  else known.sure = value;
  return answer !== null;
}

/** Makes a person with a workspace; resolves with what they ask of it. */
async function onlooker(url: string): Promise<() => Promise<Answer>> {
  const send = sender(url, await signUp(url), ONLOOKERS);
  const { body } = await send("POST", "/workspaces", { name: "Onlooker" });
  send.hangUp();
  return () => send("GET", `/workspaces/${body.publicId}/permissions/me`);
}

/** Makes a person with a board, and starts clients that write to it; `isHalf`: with as much rest as work. */
export async function startLoad(run: Run, url: string, { clients = 16, isHalf = false } = {}): Promise<Load> {
  const send = sender(url, await signUp(url), clients);
  const { body: workspace } = await send("POST", "/workspaces", { name: "Drill" });
  const names = Array.from({ length: LISTS }, (_, n) => `List ${n}`);
  const made = await send("POST", `/workspaces/${workspace.publicId}/boards`, { name: "Load", lists: names });
  const board = String(made.body.publicId);
  const { body } = await send("GET", `/boards/${board}`);
  const lists = (body as unknown as BoardBody).lists.map(({ publicId }) => publicId);
  const look = await onlooker(url);
  return new Load(run, { send, look, workspace: String(workspace.publicId), board, lists, isHalf }).start(clients);
}

/** The number of contradictions in the database, by kind: all zero, whatever was interrupted. */
export async function contradictionsIn(db: Database): Promise<Record<string, number>> {
  const [found = {}] = await db.rows<Record<string, number>>(sql`
    select
      (select coalesce(sum(abs(k.event_seq - e.events) + abs(k.event_seq - e.last)), 0)::int
        from workspace_counter k
        cross join lateral (select count(*) as events, coalesce(max(seq), 0) as last from event where workspace_id = k.workspace_id) e
      ) as "gaps in event numbers",
      (select coalesce(sum(abs(k.card_number - c.cards) + abs(k.card_number - c.last)), 0)::int
        from workspace_counter k
        cross join lateral (select count(*) as cards, coalesce(max(card_number), 0) as last from card where workspace_id = k.workspace_id) c
      ) as "gaps in card numbers",
      (select count(*)::int from list l where open_cards <>
        (select count(*) from card c where c.workspace_id = l.workspace_id and c.list_id = l.id and c.position is not null)
      ) as "lists that miscount their cards",
      (select count(*)::int from card c where comment_count <>
        (select count(*) from comment m where m.workspace_id = c.workspace_id and m.card_id = c.id)
      ) as "cards that miscount their comments",
      (select count(*)::int from card c where not exists
        (select from event e where e.workspace_id = c.workspace_id and e.seq = c.revision and e.card_public_id = c.public_id)
      ) as "cards whose last change has no event",
      (select abs((select count(*) from comment) - (select count(*) from event where type = 'comment.created'))::int
      ) as "comments without an event"`);
  return found;
}

/** The files that a drill leaves behind to be examined. */
export interface Remains {
  store: Store;
  load: Load;
  /** Every process that ran, the last one still serving. */
  services: Service[];
  /** Whether connections may break: a process was ended while clients called it. */
  isCutOff?: boolean;
  /** Further answers that are no defect here. */
  bearable?: string[];
}

/** The errors that a client sees of a process that ended. */
const CUT_OFF = ["ECONNREFUSED", "ECONNRESET", "EPIPE"];

/** Ends the service, and prints and judges what every drill has to show: what was lost, half done or thrown. */
export async function examine(
  run: Run,
  { store, load, services, isCutOff = false, bearable = [] }: Remains,
): Promise<void> {
  const lost = await load.lost();
  const last = services.at(-1);
  last?.signal("SIGTERM");
  const exitCode = await last?.ended;
  const db = await store.open();
  const contradictions = await contradictionsIn(db);
  await db.close();
  const defects = services.flatMap(defectsOf);
  load.report(`${store.name}, answers`);
  run.some(`${store.name}, writes acknowledged`, load.acknowledged);
  run.none(`${store.name}, acknowledged writes lost`, lost.length, lost);
  for (const [name, count] of Object.entries(contradictions)) run.none(`${store.name}, ${name}`, count);
  const allowed = [...bearable, ...(isCutOff ? CUT_OFF : [])];
  const unexpected = load.unexpected.filter((code) => !allowed.includes(code));
  run.none(`${store.name}, unexpected answers`, unexpected.length, unexpected);
  run.none(`${store.name}, uncaught errors`, defects.length, defects);
  run.none(`${store.name}, exit code at the end`, exitCode ?? 1);
}
