// A service that is killed while clients write: nothing acknowledged is lost, and nothing is there twice.
// @module-tag slow

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { call, newStore, type Service, serve } from "../helpers/processes.js";
import { settle } from "./settling.js";

const PROCESSES_TIMEOUT_MS = 90_000;
const KILLS = 6;

describe("killed during writes", () => {
  const CLIENTS = 4;
  const CARDS = 60;

  /** Creates cards from several clients and kills the process in the middle; gives the cards that were acknowledged. */
  async function writeAndKill(service: Service, token: string, listPublicId: string) {
    const acknowledged: { publicId: string; title: string }[] = [];
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 1; ; n += 1) {
        const title = `${service.pid} ${client} ${n}`;
        const { status, body } = await call(service.url, token, "POST", "/cards", { title, listPublicId });
        expect(status).toBe(200);
        acknowledged.push({ publicId: body.publicId, title });
        if (acknowledged.length === CARDS) service.signal("SIGKILL");
      }
    });
    const ends = await Promise.allSettled(clients);
    expect(ends.map((end) => end.status === "rejected" && end.reason.name)).toEqual(ends.map(() => "TypeError"));
    expect(await service.ended).toBe(null);
    return acknowledged;
  }

  test(
    "it has every acknowledged write when it starts again, and event numbers without a gap",
    async () => {
      const store = await newStore();
      let service = await serve(store.env);
      const { token, listPublicId } = await settle(service);
      const written: { publicId: string; title: string }[] = [];
      for (let round = 0; round < 2; round += 1) {
        written.push(...(await writeAndKill(service, token, listPublicId)));
        service = await serve(store.env);
        for (const { publicId, title } of written) {
          const { body } = await call(service.url, token, "GET", `/cards/${publicId}`);
          expect(body).toMatchObject({ publicId, title });
        }
      }
      service.signal("SIGTERM");
      expect(await service.ended).toBe(0);

      const db = await store.open();
      const [log] = await db.rows<Record<string, number>>(sql`
        select count(*) as events, min(e.seq) as first, max(e.seq) as last, max(k.event_seq) as counted,
          count(distinct e.workspace_id) as workspaces, max(k.card_number) as cards
        from event e join workspace_counter k on k.workspace_id = e.workspace_id`);
      const [cards] = await db.rows<{ cards: number }>(sql`select count(*) as cards from card`);
      await db.close();
      expect(log).toMatchObject({ workspaces: 1, first: 1, last: log?.events, counted: log?.events });
      expect(cards?.cards).toBeGreaterThanOrEqual(written.length);
      expect(cards?.cards).toBe(log?.cards);
    },
    PROCESSES_TIMEOUT_MS,
  );
});

test("a write repeated under its Idempotency-Key after the process was killed on it is there once", {
  timeout: PROCESSES_TIMEOUT_MS,
}, async () => {
  const store = await newStore();
  let service = await serve(store.env);
  const { token, listPublicId } = await settle(service);
  for (let round = 0; round < KILLS; round += 1) {
    const headers = { "idempotency-key": `round-${round}` };
    const card = { title: `Round ${round}`, listPublicId };
    const send = ({ url }: Service) => call(url, token, "POST", "/cards", card, headers);
    // Before the change, in the middle of it, and between its commit and its answer: wherever the signal falls.
    const first = send(service).catch(() => null);
    await sleep(round * 4);
    service.signal("SIGKILL");
    const [answered] = await Promise.all([first, service.ended]);
    service = await serve(store.env);
    const { status, body } = await send(service);
    expect(status).toBe(200);
    if (answered !== null) expect(body).toEqual(answered.body);
    expect((await send(service)).body).toEqual(body);
  }
  service.signal("SIGTERM");
  expect(await service.ended).toBe(0);
  const db = await store.open();
  const titles = await db.rows<{ title: string }>(sql`select title from card order by title`);
  await db.close();
  expect(titles.map(({ title }) => title)).toEqual(Array.from({ length: KILLS }, (_, n) => `Round ${n}`));
});
