// Labels and people on cards: put on, taken off, toggled.

import { sql } from "drizzle-orm";
import { z } from "zod";
import { mustBeOpen } from "../access/guards.js";
import { change, type Tx } from "../api/change.js";
import { notFound } from "../api/errors.js";
import { LabelId, MemberId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { labelsOn } from "../board/labels.js";
import { bigints } from "../db/client.js";
import { cardLabel, cardMember } from "../db/schema/index.js";
import { computed, selection } from "../db/selections.js";
import type { EventType } from "../events/eventShapes.js";
import { cardEvent, type NewEvent } from "../events/log.js";
import { type Assignment, notifyAssigned } from "../notification/watching.js";
import { ofCard } from "./callShapes.js";
import { assigneesOn, type CardAccess, cardFor, mustBeAssignable } from "./model/cardGuards.js";
import { addMembers, labelCards, type Pair, removeLabels, removeMembers, writeCards } from "./model/cardWrites.js";

/** A label or a member. */
interface Attachable {
  id: number;
  publicId: string;
}

const KINDS = {
  label: { table: cardLabel, column: cardLabel.labelId, key: "labelPublicId", add: labelCards, remove: removeLabels },
  member: {
    table: cardMember,
    column: cardMember.memberId,
    key: "memberPublicId",
    add: addMembers,
    remove: removeMembers,
  },
} as const;

type Kind = keyof typeof KINDS;

const keyOf = (cardId: number, otherId: number) => `${cardId} ${otherId}`;

const attachment = selection({ cardId: computed<number>(), otherId: computed<number>() });

/** The pairs of some labels or members and cards that they are on. OFFSET starts from these cards, which have few. */
async function present(
  tx: Tx,
  kind: Kind,
  cards: readonly CardAccess[],
  others: readonly Attachable[],
): Promise<Set<string>> {
  const { table, column } = KINDS[kind];
  if (others.length === 0) return new Set();
  const rows = await tx.db.read(
    attachment,
    sql`
      select wanted.id as "cardId", attached.id as "otherId"
      from unnest(${bigints(cards.map(({ cardId }) => cardId))}) as wanted(id)
      cross join lateral (
        select ${column} as id from ${table}
        where ${table.workspaceId} = ${tx.workspaceId}::bigint and ${table.cardId} = wanted.id offset 0) attached
      where attached.id = any(${bigints(others.map(({ id }) => id))})`,
  );
  return new Set(rows.map(({ cardId, otherId }) => keyOf(cardId, otherId)));
}

interface Wanted {
  add: readonly Attachable[];
  remove: readonly Attachable[];
}

/** The events of what was put on cards and taken off them. */
interface Attached {
  eventsOf(card: CardAccess): NewEvent[];
  added: readonly Pair[];
}

/** Puts some on cards and takes others off, and gives the events of what that really changes. What is named in both is taken off. */
export async function attached(tx: Tx, kind: Kind, cards: readonly CardAccess[], wanted: Wanted): Promise<Attached> {
  const there = await present(tx, kind, cards, [...wanted.add, ...wanted.remove]);
  return attachedTo(tx, kind, cards, wanted, there);
}

/** Does what `attached` does, with what is on the cards already in `there`. */
function attachedTo(
  tx: Tx,
  kind: Kind,
  cards: readonly CardAccess[],
  { add, remove }: Wanted,
  there: ReadonlySet<string>,
): Attached {
  const { key } = KINDS[kind];
  const pairs: { add: Pair[]; remove: Pair[] } = { add: [], remove: [] };
  const events = new Map<number, NewEvent[]>(cards.map(({ cardId }) => [cardId, []]));
  const note = (card: CardAccess, verb: "added" | "removed", { id, publicId }: Attachable) => {
    const type: EventType = `card.${kind}.${verb}`;
    (verb === "added" ? pairs.add : pairs.remove).push({ cardId: card.cardId, otherId: id });
    const member = type === "card.member.added" && { member: { publicId } };
    events.get(card.cardId)?.push(cardEvent(card, type, { [key]: publicId, ...member }));
  };
  const removedIds = new Set(remove.map(({ id }) => id));
  for (const card of cards) {
    for (const other of add) {
      if (!removedIds.has(other.id) && !there.has(keyOf(card.cardId, other.id))) note(card, "added", other);
    }
    for (const other of remove) if (there.has(keyOf(card.cardId, other.id))) note(card, "removed", other);
  }
  KINDS[kind].remove(tx, pairs.remove);
  KINDS[kind].add(tx, pairs.add);
  return { eventsOf: (card) => events.get(card.cardId) ?? [], added: pairs.add };
}

/** The new assignments, whose members are notified. */
export const newAssignments = (added: readonly Pair[]): Assignment[] =>
  added.map(({ cardId, otherId }) => ({ cardId, memberId: otherId }));

/** A label or member to put on a card, or to take off. */
interface Toggled {
  other: Attachable;
  /** Whether it is on the card afterwards; undefined toggles. */
  on: boolean | undefined;
  /** Throws if it cannot be put on the card. */
  mayAdd: () => void;
}

/** Puts one label or member on a card, or takes it off; answers whether it is on now. Writes nothing if it was so before. */
async function toggle(tx: Tx, kind: Kind, card: CardAccess, { other, on, mayAdd }: Toggled): Promise<boolean> {
  const there = await present(tx, kind, [card], [other]);
  const wasOn = there.size > 0;
  const isOn = on ?? !wasOn;
  if (isOn && !wasOn) mayAdd();
  mustBeOpen(card);
  if (isOn === wasOn) return isOn;
  const wanted: Wanted = isOn ? { add: [other], remove: [] } : { add: [], remove: [other] };
  const { eventsOf, added } = attachedTo(tx, kind, [card], wanted, there);
  writeCards(tx, [{ card, events: eventsOf(card) }]);
  if (kind === "member") await notifyAssigned(tx, newAssignments(added));
  return isOn;
}

const On = z.boolean().optional();

export const attaching = {
  toggleLabel: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/cards/{cardPublicId}/labels/{labelPublicId}",
        tags: ["Cards"],
        summary: "Add or remove a label from a card",
        description:
          "Adds the label if the card does not have it (`newLabel` is true), otherwise removes it (`newLabel` is false). With `on`, the card has the label afterwards, or not, whatever it had before. The label must belong to the board of the card. Requires `card:edit`.",
        successDescription: "The label was added or removed.",
      },
    })
    .input(
      z.strictObject({
        ...ofCard,
        labelPublicId: LabelId,
        on: On.meta({ description: "Whether the card has the label afterwards." }),
      }),
    )
    .output(
      z
        .object({ newLabel: z.boolean().meta({ description: "Whether the card has the label now." }) })
        .meta({ id: "ToggledLabel", description: "Whether the label was added or removed." }),
    )
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, cardFor, "card:edit", async (tx, card) => {
        const [label] = await labelsOn(tx, card, [input.labelPublicId]);
        if (label === undefined) throw notFound();
        return { newLabel: await toggle(tx, "label", card, { other: label, on: input.on, mayAdd: () => {} }) };
      }),
    ),

  toggleMember: protectedProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/cards/{cardPublicId}/members/{memberPublicId}",
        tags: ["Cards"],
        summary: "Add or remove a member from a card",
        description:
          "Assigns the member if it is not assigned (`newMember` is true), otherwise removes the assignment (`newMember` is false). With `on`, the member is assigned afterwards, or not, whatever was before. An assignee must be an active member who can see the board. Requires `card:edit`.",
        successDescription: "The member was assigned or unassigned.",
      },
    })
    .input(
      z.strictObject({
        ...ofCard,
        memberPublicId: MemberId,
        on: On.meta({ description: "Whether the member is assigned afterwards." }),
      }),
    )
    .output(
      z
        .object({ newMember: z.boolean().meta({ description: "Whether the member is assigned now." }) })
        .meta({ id: "ToggledMember", description: "Whether the member was assigned or unassigned." }),
    )
    .mutation(({ ctx, input }) =>
      change(ctx, input.cardPublicId, cardFor, "card:edit", async (tx, card) => {
        const [member] = await assigneesOn(tx, [card], [input.memberPublicId]);
        if (member === undefined) throw notFound();
        const mayAdd = () => mustBeAssignable([member], "memberPublicId");
        return { newMember: await toggle(tx, "member", card, { other: member, on: input.on, mayAdd }) };
      }),
    ),
};
