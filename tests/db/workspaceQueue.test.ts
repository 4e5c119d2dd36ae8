// Guarantees of the queue in which the changes of a workspace take turns: what fails or is refused harms nobody else, accounts share
// it, and nobody waits for it longer than ten seconds.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { badRequest } from "../../src/api/errors.js";
import type { Driver } from "../../src/db/driver.js";
import { Invalidation } from "../../src/db/earlyReads.js";
import { newPublicIdIn } from "../../src/db/ids.js";
import { openPostgres } from "../../src/db/postgres.js";
import { tag } from "../../src/db/schema/index.js";
import { compile } from "../../src/db/statements.js";
import { type Answer, appOn, expectError, ok, type Workspace } from "../helpers/app.js";
import { isOnCitus, openBound, openTestDatabase } from "../helpers/databases.js";
import { holdCounter, racingOn, untilQuiet } from "../helpers/racing.js";
import { addTag, keyOf } from "./changes.js";
import { openProxy } from "./postgres/proxy.js";

const { db, url, close } = await openTestDatabase();
afterAll(close);
const app = await appOn(db, {});
const { as, make } = app;
const { raced } = racingOn(app);

/** Calls that come to a workspace together, and have one transaction where the database has more than one session. */
const together = (workspace: Workspace, ...calls: (() => Promise<Answer>)[]) =>
  url === null ? Promise.all(calls.map((call) => call())) : raced(workspace, ...calls);

async function storedIn(workspace: Workspace) {
  const key = keyOf(workspace);
  const events = await db.rows<{ seq: number }>(sql`
    select seq from event where workspace_id = ${key}::bigint order by seq`);
  const [counter] = await db.rows<{ events: number; cards: number }>(sql`
    select event_seq as events, card_number as cards from workspace_counter where workspace_id = ${key}::bigint`);
  const names = async (rows: Promise<{ name: string }[]>) => (await rows).map(({ name }) => name);
  const tags = await names(db.rows(sql`select name from tag where workspace_id = ${key}::bigint order by name`));
  const cards = await names(
    db.rows(sql`select title as name from card where workspace_id = ${key}::bigint order by id`),
  );
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1));
  expect(counter?.events).toBe(events.length);
  return { events: events.length, cardNumbers: counter?.cards, tags, cards };
}

describe("changes that are committed together", () => {
  test("one that fails at the database in the middle of 16 leaves the other 15, each done once", async () => {
    const { workspace } = await make.tag({ name: "Taken" });
    const before = await storedIn(workspace);
    const runs = Array(16).fill(0);
    const names = runs.map((_, n) => (n === 7 ? "taken" : `Tag ${n}`));

    const outcomes = await Promise.allSettled(
      names.map((name, n) =>
        db.change(keyOf(workspace), { accountId: n }, async (unit) => {
          runs[n] += 1;
          await unit.db.rows(sql`select 1`);
          return addTag(unit, name);
        }),
      ),
    );

    expect(outcomes.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([7]);
    expect(runs.slice(0, 8), "what was written with it was rolled back").toEqual(Array(8).fill(2));
    expect(Math.max(...runs)).toBe(2);
    const { events, tags } = await storedIn(workspace);
    expect(events).toBe(before.events + 15);
    expect(tags).toEqual(["Taken", ...names.toSpliced(7, 1)].sort());
    const seqs = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(seqs.sort((a, b) => a - b)).toEqual(seqs.map((_, place) => before.events + place + 1));
  });

  test.each([
    ["before its writes are sent", false],
    ["after some of them were", true],
  ])("one that is refused %s writes nothing and takes no number, and the others succeed", async (_, isSent) => {
    const { workspace } = await make.workspace();
    const before = await storedIn(workspace);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_each, n) =>
        db.change(keyOf(workspace), { accountId: n }, async (unit) => {
          await unit.db.rows(sql`select 1`);
          const seq = addTag(unit, `Tag ${n}`);
          const cardNumber = unit.newCardNumber();
          if (n % 2 === 0) return { seq, cardNumber };
          if (isSent) await unit.db.rows(sql`select 1`);
          throw badRequest("Refused");
        }),
      ),
    );

    const made = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(made).toEqual([1, 2, 3, 4].map((cardNumber) => ({ seq: before.events + cardNumber, cardNumber })));
    for (const n of [1, 3, 5, 7]) expect(outcomes[n]).toMatchObject({ reason: { code: "BAD_REQUEST" } });
    const tags = ["Tag 0", "Tag 2", "Tag 4", "Tag 6"];
    expect(await storedIn(workspace)).toEqual({ ...before, events: before.events + 4, cardNumbers: 4, tags });
  });

  test("cards that are refused take no number from those that come with them", async () => {
    const { owner, workspace, list } = await make.list();
    const before = await storedIn(workspace);
    const labelsOf = (n: number) => (n % 2 === 0 ? [] : [newPublicIdIn(keyOf(workspace))]);
    const answers = await together(
      workspace,
      ...Array.from({ length: 8 }, (_, n) => () => {
        const body = { title: `Card ${n}`, listPublicId: list.publicId, labelPublicIds: labelsOf(n) };
        return as(owner).post("/cards", body);
      }),
    );
    for (const n of [1, 3, 5, 7]) expectError(answers[n] ?? expect.fail(), "FORBIDDEN");
    const numbers = answers.flatMap(({ status, body }) => (status === 200 ? [body.cardNumber] : []));
    expect(numbers.map(Number).sort()).toEqual([1, 2, 3, 4]);
    expect(await storedIn(workspace)).toMatchObject({ events: before.events + 4, cardNumbers: 4 });
  });

  test("one whose guard fails is rejected alone, also where its statement was sent early", async () => {
    const { workspace } = await make.tag();
    const before = await storedIn(workspace);
    const refused = new Error("refused");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => {
        const statement = compile(sql`select 1`);
        const early = [{ ...statement, invalidation: Invalidation.of(statement.text, []) }];
        return db.change(keyOf(workspace), { accountId: n, early }, async (unit) => {
          await unit.db.rows(sql`select 1`);
          if (n === 3) throw refused;
          return addTag(unit, `Tag ${n}`);
        });
      }),
    );
    expect(outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []))).toEqual([refused]);
    expect(outcomes[3]?.status).toBe("rejected");
    expect((await storedIn(workspace)).events).toBe(before.events + 7);
  });

  test("one that updates many rows fails unless each of them is there", async () => {
    const { workspace, tag: made } = await make.tag();
    const [stored] = await db.rows<{ id: number }>(sql`
      select id from tag where workspace_id = ${keyOf(workspace)}::bigint and public_id = ${made.publicId}::text`);
    const rename = (...ids: number[]) =>
      db.change(keyOf(workspace), { accountId: null }, async (unit) => {
        await unit.db.rows(sql`select 1`);
        const rows = ids.map((id) => ({ id, name: `Renamed ${id}`, nameKey: `renamed ${id}` }));
        unit.setEach(tag, rows);
      });
    const id = stored?.id ?? expect.fail();
    await expect(rename(id, 999_999)).rejects.toThrow();
    expect((await storedIn(workspace)).tags).toEqual([made.name]);
    await rename(id);
    expect((await storedIn(workspace)).tags).toEqual([`Renamed ${id}`]);
  });

  test("two with one Idempotency-Key are one change and one replay, with the same answer and headers", async () => {
    const { owner, workspace, list } = await make.list();
    const call = () =>
      as(owner).post("/cards", { title: "Once", listPublicId: list.publicId }, { "idempotency-key": "one-of-two" });
    const answers = await together(workspace, call, call);

    const [first, second] = answers.map((answer) => ({
      body: ok(answer),
      operation: answer.headers["operation-id"],
      event: answer.headers["event-id"],
    }));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ operation: expect.any(String), event: expect.any(String) });
    const replayed = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true");
    expect(replayed).toHaveLength(1);
    expect((await storedIn(workspace)).cards).toEqual(["Once"]);
  });
});

describe("turns", () => {
  test("one account's 40 waiting changes do not delay another account's one behind all of them", async () => {
    const { workspace } = await make.workspace();
    const order: string[] = [];
    const changeBy = (accountId: number, name: string) =>
      db.change(keyOf(workspace), { accountId }, async (unit) => {
        await unit.db.rows(sql`select 1`);
        order.push(name);
      });
    const busy = Array.from({ length: 40 }, (_, n) => changeBy(1, `busy ${n}`));
    await Promise.all([...busy, changeBy(2, "other")]);

    expect(order.filter((name) => name !== "other")).toEqual(Array.from({ length: 40 }, (_, n) => `busy ${n}`));
    expect(order.indexOf("other")).toBeLessThanOrEqual(2);
  });
});

describe.skipIf(url === null)("a workspace whose counter another process holds", () => {
  const target = url ?? "";

  async function hold(workspace: Workspace) {
    const holder = await holdCounter(target, keyOf(workspace));
    let isHeld = true;
    const release = async () => {
      if (isHeld) await holder.release();
      isHeld = false;
    };
    onTestFinished(release);
    return { ...holder, release };
  }

  test("lets strangers be refused at once, however many crowd it, and its people wait for their turn", async () => {
    const { owner, workspace, list } = await make.list();
    // People of workspaces of their own, who were let in there a moment ago.
    const strangers = await Promise.all([1, 2, 3].map(async () => (await make.card()).owner));
    const { release, pid } = await hold(workspace);
    const add = () => as(owner).post("/cards", { title: "Mine", listPublicId: list.publicId });
    const waiting = add();
    await untilQuiet(db, pid);

    const answers = await Promise.all(
      strangers.flatMap((stranger) =>
        Array.from({ length: 10 }, () => as(stranger).post("/cards", { title: "X", listPublicId: list.publicId })),
      ),
    );

    for (const res of answers) expectError(res, "FORBIDDEN");
    await release();
    ok(await waiting);
    expect((await storedIn(workspace)).cards).toEqual(["Mine"]);
  });

  test("has its calls wait and succeed once it is let go, and others' calls answered meanwhile", async () => {
    const { owner, workspace, list } = await make.list();
    const { list: elsewhere } = await make.list();
    const add = (to: typeof list) => as(to.owner).post("/cards", { title: "New", listPublicId: to.publicId });
    const { release, pid } = await hold(workspace);
    const waiting = Array.from({ length: 6 }, () => add(list));
    await untilQuiet(db, pid);
    for (let n = 0; n < 5; n += 1) ok(await add(elsewhere));
    ok(await as(owner).get(`/boards/${list.board.publicId}`));
    await sleep(1200);
    await release();

    for (const res of await Promise.all(waiting)) ok(res);
    expect((await storedIn(workspace)).cards).toHaveLength(6);
  });

  test("refuses calls with SERVICE_UNAVAILABLE and Retry-After after ten seconds, and does nothing of them later", async () => {
    const { workspace, list } = await make.list();
    const { list: elsewhere } = await make.list();
    const add = (to: typeof list) => as(to.owner).post("/cards", { title: "New", listPublicId: to.publicId });
    const { release } = await hold(workspace);
    const since = performance.now();
    let isOver = false;
    const waiting = Promise.all(Array.from({ length: 20 }, () => add(list))).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      ok(await add(elsewhere));
      await sleep(300);
    }

    const waited = performance.now() - since;
    for (const res of await waiting) {
      expectError(res, "SERVICE_UNAVAILABLE");
      expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
    }
    expect(waited).toBeGreaterThan(9_900);
    // Those of one batch do not wait for each other's tries.
    expect(waited).toBeLessThan(13_000);
    await release();
    ok(await add(list));
    expect((await storedIn(workspace)).cards).toEqual(["New"]);
  }, 40_000);

  test("is not harmed by a client that hangs up while its change waits", async () => {
    const { owner, workspace, list } = await make.list();
    const base = await app.listening();
    const { release, pid } = await hold(workspace);
    const post = (title: string, signal?: AbortSignal) =>
      fetch(`${base}/api/v1/cards`, {
        method: "POST",
        headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
        body: JSON.stringify({ title, listPublicId: list.publicId }),
        ...(signal && { signal }),
      });
    const hangingUp = new AbortController();
    const left = post("Left", hangingUp.signal).catch((error: Error) => error.name);
    await untilQuiet(db, pid);
    const staying = ["One", "Two"].map((title) => post(title));
    hangingUp.abort();
    expect(await left).toBe("AbortError");
    await untilQuiet(db, pid);
    await release();

    for (const res of await Promise.all(staying)) expect(res.status).toBe(200);
    const { cards } = await storedIn(workspace);
    expect(cards.filter((title) => title !== "Left")).toEqual(["One", "Two"]);
    expect(cards.filter((title) => title === "Left").length).toBeLessThanOrEqual(1);
    ok(await as(owner).post("/cards", { title: "After", listPublicId: list.publicId }));
  });
});

describe.skipIf(url === null)("a connection that is lost at COMMIT", () => {
  /** A second process behind a proxy, and a call that adds a card through it. */
  async function lossy() {
    const proxy = await openProxy(url ?? "");
    const settings = { url: proxy.url, poolSize: 6, prepare: true, statementTimeoutMs: 30_000 };
    const behind = openBound(openPostgres({ ...settings, isDistributed: isOnCitus() }));
    onTestFinished(async () => {
      await behind.close();
      await proxy.close();
    });
    const second = await appOn(behind, {});
    const { owner, workspace, list } = await make.list();
    const add = (title: string, key?: string) =>
      second.as(owner).post("/cards", { title, listPublicId: list.publicId }, key ? { "idempotency-key": key } : {});
    ok(await add("First"));
    return { proxy, workspace, add };
  }

  test("after it was written answers SERVICE_UNAVAILABLE, and nothing is done twice", async () => {
    const { proxy, workspace, add } = await lossy();
    proxy.cutAtCommit("after");
    const answers = await Promise.all([add("Second"), add("Third"), add("Fourth")]);

    const lost = answers.filter(({ status }) => status !== 200);
    expect(lost.length).toBeGreaterThan(0);
    for (const res of lost) {
      expectError(res, "SERVICE_UNAVAILABLE");
      expect(Number(res.headers["retry-after"])).toBeGreaterThan(0);
    }
    await expect
      .poll(async () => (await storedIn(workspace)).cards.sort())
      .toEqual(["First", "Fourth", "Second", "Third"]);
  });

  test("after it was written gives the answer that is found under an Idempotency-Key", async () => {
    const { proxy, workspace, add } = await lossy();
    proxy.cutAtCommit("after");
    const res = await add("Second", "lost");

    const { publicId } = ok(res);
    expect(res.headers).toMatchObject({
      "idempotent-replayed": "true",
      "operation-id": expect.any(String),
      "event-id": String((await storedIn(workspace)).events),
    });
    expect(ok(await add("Second", "lost")).publicId).toBe(publicId);
    expect((await storedIn(workspace)).cards).toEqual(["First", "Second"]);
  });

  test("before it was written answers SERVICE_UNAVAILABLE, and the same key does it later", async () => {
    const { proxy, workspace, add } = await lossy();
    const before = await storedIn(workspace);
    proxy.cutAtCommit("before");
    expectError(await add("Second", "again"), "SERVICE_UNAVAILABLE");
    await sleep(100);
    expect(await storedIn(workspace)).toEqual(before);
    const res = await add("Second", "again");
    ok(res);
    expect(res.headers["idempotent-replayed"]).toBeUndefined();
    expect((await storedIn(workspace)).cards).toEqual(["First", "Second"]);
  });
});

test.skipIf(url === null)(
  "on a distributed database a change that waits behind its lock gives way and is tried again",
  async () => {
    const settings = { url: url ?? "", poolSize: 2, prepare: true, statementTimeoutMs: 30_000 };
    const driver = openPostgres({ ...settings, isDistributed: true });
    let attempts = 0;
    const counted: Driver = {
      ...driver,
      transaction: (run) => {
        attempts += 1;
        return driver.transaction(run);
      },
    };
    const second = openBound(counted);
    onTestFinished(() => second.close());
    const { owner, workspace, list } = await make.list();
    const { as: through } = await appOn(second, {});
    let added: Promise<Answer> | undefined;

    await db.transaction(async (tx) => {
      await tx.rows(sql`select 1 from list where workspace_id = ${keyOf(workspace)}::bigint for update`);
      added = through(owner).post("/cards", { title: "New", listPublicId: list.publicId });
      await expect.poll(() => attempts, { timeout: 10_000 }).toBeGreaterThan(5);
    });

    ok((await added) ?? expect.fail());
    expect(await storedIn(workspace)).toMatchObject({ cards: ["New"], cardNumbers: 1 });
  },
  40_000,
);

test("a change that asks for the time before it read anything fails", async () => {
  const { workspace } = await make.workspace();
  const asked = db.change(keyOf(workspace), { accountId: null }, async (unit) => unit.now);
  await expect(asked).rejects.toThrow("asked for the time before it read anything");
});
