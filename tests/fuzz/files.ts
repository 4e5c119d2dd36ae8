// Files of boards whose parts fit together, which no schema can ask for.

import fc from "fast-check";

const text = fc.stringMatching(/^[a-zא-ת😀]{1,12}$/u);
const instant = fc.constantFrom("2026-11-20T09:30:00.000Z", "0001-02-03", "2027-01-01T10:00:00+05:30");
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const row = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 4 });

const numbered = <T extends object>(things: readonly T[], kind: string) =>
  things.map((thing, index) => ({ publicId: `${kind}${index}`.padEnd(12, "0"), ...thing }));

/** The identifier of one of some things by a turn; null where there is none. */
const oneOf = (things: readonly { publicId: string }[], turn: number) =>
  things[turn % Math.max(1, things.length)]?.publicId ?? null;

const checklist = fc.record({ name: text, items: row(fc.record({ title: text, completed: fc.boolean() })) });

const card = fc.record({
  title: text,
  description: text,
  priority: fc.constantFrom("low", "medium", "high", "urgent", "none"),
  dueDate: maybe(instant),
  dueHasTime: fc.boolean(),
  completedAt: maybe(instant),
  isArchived: fc.boolean(),
  turn: fc.nat(9),
  checklists: row(checklist),
});

export const boardFile = fc
  .record({
    name: text,
    lists: row(fc.record({ name: text })),
    labels: fc.uniqueArray(fc.record({ name: text, colourCode: fc.constant("#1f6feb") }), {
      maxLength: 3,
      selector: ({ name }) => name,
    }),
    people: row(fc.record({ name: text, email: maybe(fc.constant("someone@example.org")) })),
    cards: row(card),
  })
  .map(({ name, cards, ...parts }) => {
    const lists = numbered(parts.lists, "list");
    const labels = numbered(parts.labels, "label");
    const people = numbered(parts.people, "person");
    return {
      format: "work-board/board",
      version: 1,
      name,
      slug: "a-slug",
      visibility: "workspace",
      tags: [],
      people,
      memberPublicIds: people.map(({ publicId }) => publicId),
      labels,
      lists,
      cards: numbered(cards, "card").map(({ turn, isArchived, ...fields }, index) => ({
        ...fields,
        cardNumber: index + 1,
        listPublicId: oneOf(lists, turn),
        createdAt: "2026-11-20T09:30:00.000Z",
        archivedAt: isArchived || lists.length === 0 ? "2026-11-21T09:30:00.000Z" : null,
        labelPublicIds: labels.slice(turn % 3).map(({ publicId }) => publicId),
        memberPublicIds: people.slice(turn % 2, 2).map(({ publicId }) => publicId),
        comments: [],
      })),
    };
  });

export const trelloFile = fc
  .record({
    name: text,
    lists: row(fc.record({ name: text, closed: fc.boolean(), pos: fc.nat() })),
    cards: row(fc.record({ name: text, desc: text, closed: fc.boolean(), due: maybe(instant), turn: fc.nat(9) })),
  })
  .map(({ name, lists, cards }) => {
    const listsById = lists.map((list, index) => ({ id: `list${index}`, ...list }));
    return {
      name,
      lists: listsById,
      cards: cards.flatMap(({ turn, ...fields }, index) => {
        const list = listsById[turn % Math.max(1, listsById.length)];
        return list === undefined ? [] : [{ id: `card${index}`, idList: list.id, ...fields }];
      }),
    };
  });
