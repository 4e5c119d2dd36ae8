// 32 movers on one board without pause: no error, no deadlock, and every card in one place of an unbroken order.

import { sender, signUp } from "./calls.js";
import { drill } from "./harness.js";
import { asAdmin } from "./stores.js";

const MOVERS = 32;
const LISTS = 10;
const CARDS = 1000;

interface BoardBody {
  lists: { publicId: string; cards: { publicId: string; index: number }[] }[];
}

await drill("movers", async (run) => {
  const server = await run.server();
  const store = await run.postgres(server);
  const service = await run.serve(store.env);
  const send = sender(service.url, await signUp(service.url), MOVERS);
  const workspace = await send("POST", "/workspaces", { name: "Movers" });
  const rows = Array.from({ length: CARDS }, (_, n) => [`Card ${n}`, `List ${n % LISTS}`]);
  const mapping = { title: 0, list: 1 };
  const named = { workspacePublicId: workspace.body.publicId, boardName: "Moving" };
  const made = await send("POST", "/imports/csv/boards", { ...named, rows, mapping });
  const board = async () => (await send("GET", `/boards/${made.body.boardPublicId}`)).body as unknown as BoardBody;
  const { lists } = await board();
  const cards = lists.flatMap((list) => list.cards.map(({ publicId }) => publicId));
  const oneOf = (values: string[]) => values[Math.floor(run.random() * values.length)] ?? "";

  const outcomes = new Map<string, number>();
  const forMs = run.seconds({ long: 60, short: 6 });
  const end = performance.now() + forMs;
  const move = async () => {
    while (performance.now() < end) {
      const to = { listPublicId: oneOf(lists.map(({ publicId }) => publicId)), index: Math.floor(run.random() * 100) };
      const { code } = await send("PUT", `/cards/${oneOf(cards)}`, to);
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: MOVERS }, move));

  const moved = outcomes.get("200") ?? 0;
  outcomes.delete("200");
  run.some("moves", moved);
  run.report("moves a second", Math.round((moved * 1000) / forMs));
  run.none("errors", outcomes.size, [...outcomes]);
  const after = (await board()).lists;
  const found = after.flatMap((list) => list.cards.map(({ publicId }) => publicId));
  run.none("cards missing or twice", CARDS - new Set(found).size + Math.abs(found.length - CARDS));
  const misplaced = after.flatMap((list) => list.cards.filter(({ index }, place) => index !== place));
  run.none("cards whose index is not their place", misplaced.length, misplaced);

  service.signal("SIGTERM");
  await service.ended;
  const [counted] = await asAdmin(
    store.env.DATABASE_URL ?? "",
    (admin) => admin<{ deadlocks: number; miscounted: number }[]>`
      select (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks,
        (select count(*)::int from list l where open_cards <>
          (select count(*) from card c where c.workspace_id = l.workspace_id and c.list_id = l.id)) as miscounted`,
  );
  run.none("deadlocks that PostgreSQL counted", counted?.deadlocks ?? 1);
  const logged = (await server.log()).split("\n").filter((line) => /deadlock|ERROR/.test(line));
  run.none("errors in PostgreSQL's log", logged.length, logged);
  run.none("lists that miscount their cards", counted?.miscounted ?? 1);
});
