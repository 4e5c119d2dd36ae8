// Events as sentences (clients.md section 2). That every type has one, `tests/events/recorded.test.ts` shows.

import { expect, onTestFinished, test } from "vitest";
import {
  createClient,
  type DescribeOptions,
  describe,
  type Event,
  type EventTexts,
  englishTexts,
} from "../packages/client/src/client.js";
import { testApp } from "./helpers/app.js";

const { make, listening } = await testApp();
const url = await listening();
const UNKNOWN: DescribeOptions = { nameOf: () => undefined };

const sentence = (event: Event, options = UNKNOWN) =>
  describe(event, options)
    .map(({ text }) => text)
    .join("");

/** A person with a board of two lists and a card, and the sentences about what the person then does. */
async function scene() {
  const ada = await make.user({ name: "Ada" });
  const client = createClient({ url, token: ada.token });
  const { publicId: workspacePublicId } = await client.workspace.create.mutate({ name: "Engines" });
  const { publicId: boardPublicId } = await client.board.create.mutate({
    workspacePublicId,
    name: "Notes",
    lists: ["Ideas", "Done"],
  });
  const { lists, me } = await client.board.get.query({ boardPublicId });
  const [ideas = "", done = ""] = lists.map(({ publicId }) => publicId);
  const { publicId: cardPublicId } = await client.card.create.mutate({ title: "Write", listPublicId: ideas });
  const names: Record<string, string> = { [ideas]: "Ideas", [done]: "Done", [cardPublicId]: "Write" };
  const options: DescribeOptions = { nameOf: (_kind, publicId) => names[publicId] };
  const eventsOf = async (change: () => Promise<unknown>) => {
    const after = (await client.workspace.events.query({ workspacePublicId, limit: 100 })).nextCursor ?? 0;
    await change();
    return (await client.workspace.events.query({ workspacePublicId, limit: 100, after })).items;
  };
  const said = async (change: () => Promise<unknown>) =>
    (await eventsOf(change)).map((event) => sentence(event, options));
  return { client, workspacePublicId, boardPublicId, cardPublicId, ideas, done, me, options, eventsOf, said };
}

test("an edit of one field says what the field became, an edit of several lists them", async () => {
  const { client, cardPublicId, said } = await scene();
  const update = (fields: object) => said(() => client.card.update.mutate({ cardPublicId, ...fields }));

  expect(await update({ title: "Write it" })).toEqual(["Ada renamed Write to Write it"]);
  expect(await update({ priority: "high" })).toEqual(["Ada set the priority of Write to high"]);
  expect(await update({ description: "At once" })).toEqual(["Ada changed the description of Write"]);
  expect(await update({ dueDate: "2026-12-24" })).toEqual(["Ada set the due date of Write to Dec 24, 2026"]);
  expect(await update({ dueDate: null })).toEqual(["Ada removed the due date of Write"]);
  expect(await update({ title: "Write", dueDate: "2026-12-24T18:00:00Z", priority: "low" })).toEqual([
    "Ada changed the title, the due date, and the priority of Write",
  ]);
  expect(await update({ completed: true })).toEqual(["Ada completed Write"]);
});

test("a board whose name and visibility change at once is said to be renamed", async () => {
  const { client, boardPublicId, said } = await scene();
  const changed = { boardPublicId, name: "Plans", visibility: "private" } as const;
  expect(await said(() => client.board.update.mutate(changed))).toEqual(["Ada renamed the board Notes to Plans"]);
});

test("a move says whether a card stays in its list or goes to another, and both boards tell of a move between them", async () => {
  const { client, workspacePublicId, boardPublicId, cardPublicId, ideas, done, options, eventsOf, said } =
    await scene();
  await client.card.create.mutate({ title: "Read", listPublicId: ideas });
  const other = await client.board.create.mutate({ workspacePublicId, name: "Plans", lists: ["Next"] });
  const { lists } = await client.board.get.query({ boardPublicId: other.publicId });
  const next = lists[0]?.publicId ?? "";
  const move = (listPublicId: string, index: number) =>
    client.card.update.mutate({ cardPublicId, listPublicId, index });

  expect(await said(() => move(ideas, 1))).toEqual(["Ada moved Write within Ideas"]);
  expect(await said(() => move(done, 0))).toEqual(["Ada moved Write from Ideas to Done"]);

  const boards: Record<string, string> = { [boardPublicId]: "Notes", [other.publicId]: "Plans", [next]: "Next" };
  const nameOf: DescribeOptions["nameOf"] = (kind, id) => boards[id] ?? options.nameOf(kind, id);
  const events = await eventsOf(() => move(next, 0));
  expect(events.map((event) => sentence(event, { nameOf })).sort()).toEqual([
    "Ada moved Write from the board Notes to Next",
    "Ada moved Write to the board Plans",
  ]);
});

test("names are those of `nameOf`, else those in the event, else words, and each has its identifier", async () => {
  const { client, boardPublicId, cardPublicId, me, options, eventsOf } = await scene();
  const [created] = await eventsOf(() =>
    client.board.labels.create.mutate({ boardPublicId, name: "Urgent", colourCode: "#cf222e" }),
  );
  if (created?.type !== "label.created") throw new Error("no label was created");
  const { labelPublicId } = created.data;
  expect(describe(created, UNKNOWN)).toEqual([
    { kind: "person", text: "Ada", publicId: created.actor?.publicId },
    { kind: "text", text: " created the label ", publicId: null },
    { kind: "label", text: "Urgent", publicId: labelPublicId },
  ]);
  expect(sentence(created, { nameOf: () => "Pressing" })).toBe("Ada created the label Pressing");

  const [added] = await eventsOf(() => client.card.toggleLabel.mutate({ cardPublicId, labelPublicId, on: true }));
  if (added === undefined) throw new Error("no label was put on the card");
  expect(sentence(added)).toBe("Ada put the label (unknown) on a card");
  expect(describe(added, options).at(-1)).toEqual({ kind: "card", text: "Write", publicId: cardPublicId });

  const [promoted] = await eventsOf(() =>
    client.card.toggleMember.mutate({ cardPublicId, memberPublicId: me.memberPublicId, on: true }),
  );
  expect(promoted && sentence(promoted)).toBe("Ada assigned Ada to a card");
});

test("dates are written by the Gregorian calendar in every language, and in the form of `datesLocale` where it is given", async () => {
  const { client, cardPublicId, eventsOf } = await scene();
  const [event] = await eventsOf(() => client.card.update.mutate({ cardPublicId, dueDate: "2026-12-24" }));
  if (event === undefined) throw new Error("no due date was set");
  const inWords = (texts: Partial<EventTexts>) => sentence(event, { ...UNKNOWN, texts: { ...englishTexts, ...texts } });
  expect(inWords({ datesLocale: "en-GB" })).toBe("Ada set the due date of a card to 24 Dec 2026");
  for (const [locale, year] of Object.entries({ fa: "۲۰۲۶", ps: "۲۰۲۶", ckb: "٢٠٢٦", th: "2026", "ar-SA": "٢٠٢٦" })) {
    expect(inWords({ datesLocale: locale })).toContain(year);
    expect(inWords({ locale })).toContain(year);
  }
});

test("another language has its own order of words, dates and lists, and calls the service by its own name", async () => {
  const { client, cardPublicId, options, eventsOf } = await scene();
  const german: EventTexts = {
    ...englishTexts,
    locale: "de",
    service: "Der Dienst",
    sentences: {
      ...englishTexts.sentences,
      "card.due": "{card} soll am {to} fertig sein, sagt {actor}",
      "card.fields": "{actor} hat {fields} von {card} geändert",
    },
    fields: { ...englishTexts.fields, description: "die Beschreibung", priority: "die Priorität" },
  };
  const [due, edited] = await eventsOf(async () => {
    await client.card.update.mutate({ cardPublicId, dueDate: "2026-12-24" });
    await client.card.update.mutate({ cardPublicId, description: "Bald", priority: "low" });
  });
  if (due === undefined || edited === undefined) throw new Error("the edits wrote no events");
  const texts = { ...options, texts: german };
  expect(sentence(due, texts)).toBe("Write soll am 24.12.2026 fertig sein, sagt Ada");
  expect(sentence({ ...edited, actor: null }, texts)).toBe(
    "Der Dienst hat die Beschreibung und die Priorität von Write geändert",
  );
});

test("sentences name nothing but the actor, things, and what changed", () => {
  const names = Object.values(englishTexts.sentences).flatMap((text) => text.match(/(?<=\{)\w+(?=\})/g) ?? []);
  const known = ["actor", "fields", ...Object.keys(englishTexts.unnamed)];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])("a day is the same date to a reader in %s", async (timeZone) => {
  const { client, cardPublicId, said } = await scene();
  const before = process.env.TZ;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = timeZone;
  expect(new Date("2026-12-24T12:00:00Z").getTimezoneOffset()).not.toBe(0);
  expect(await said(() => client.card.update.mutate({ cardPublicId, dueDate: "2026-12-24" }))).toEqual([
    "Ada set the due date of Write to Dec 24, 2026",
  ]);
});

test("a type that only a newer service has is a change without details", async () => {
  const { client, cardPublicId, eventsOf } = await scene();
  const [event] = await eventsOf(() => client.card.update.mutate({ cardPublicId, title: "New" }));
  const painted: Event = JSON.parse(JSON.stringify({ ...event, type: "card.painted" }));
  expect(sentence(painted)).toBe("Ada made a change");
});
