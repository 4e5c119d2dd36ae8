// Writes the boards of an import with all their cards: table by table, in statements of many rows.

import { and, eq } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { notFound } from "../api/errors.js";
import { addBoards, type BoardMemberKey, type MadeBoard } from "../board/boardAdditions.js";
import { freeSlugs } from "../board/slugs.js";
import { addCards, type CardAddition } from "../card/model/cardCreation.js";
import { newCardValues } from "../card/model/cardFields.js";
import { newParts } from "../card/model/ownParts.js";
import { oneOf } from "../db/client.js";
import { GAP, type Place } from "../db/positions.js";
import { member, workspace as workspaceTable } from "../db/schema/index.js";
import { notifyImported } from "../notification/watching.js";
import type { BoardPlan, CardPlan } from "./plans.js";
import { tagsOf } from "./tags.js";

type FindMembers = (ids: readonly number[]) => BoardMemberKey[];
type Around = Pick<CardAddition["board"], "workspacePublicId" | "cardPrefix">;

/** Creates the boards, with the importer and the members of the plan. Returns their public identifiers. */
export async function writeBoards(
  tx: Tx,
  { workspacePublicId, memberId }: WorkspaceAccess,
  plans: readonly BoardPlan[],
): Promise<string[]> {
  const wanted = plans.map(({ name, slug }) => slug ?? name);
  const slugs = await freeSlugs(tx.db, tx.workspaceId, wanted);
  const membersOf = await memberKeys(tx, memberId, plans);
  const cardPrefix = await cardPrefixOf(tx);
  const tagsOn = await tagsOf(tx, plans);
  const boards = addBoards(
    tx,
    "board.imported",
    plans.map((plan, index) => ({
      name: plan.name,
      slug: slugs[index] ?? "",
      visibility: plan.visibility ?? "workspace",
      members: membersOf([...new Set([memberId, ...(plan.memberIds ?? [])])]),
      tags: tagsOn(plan),
      lists: listsOf(plan),
      labels: plan.labels,
    })),
  );
  const around = { workspacePublicId, cardPrefix };
  const cards = boards.flatMap((board, index) => plannedCards(plans[index]?.cards ?? [], board, around, membersOf));
  await addImportedCards(tx, cards);
  return boards.map(({ boardPublicId }) => boardPublicId);
}

/** Creates the cards of an import and notifies the people who are assigned to them. */
export async function addImportedCards(tx: Tx, cards: readonly CardAddition[]): Promise<void> {
  const made = await addCards(tx, cards);
  const imported = made.map(({ id: cardId }, index) => {
    const { place = null, members = [] } = cards[index] ?? {};
    return { cardId, isOpen: place !== null, memberIds: members.map(({ id }) => id) };
  });
  await notifyImported(tx, imported);
}

/** Finds the importer and the members of plans among the members of the workspace. */
export async function memberKeys(tx: Tx, importerId: number, plans: readonly BoardPlan[]): Promise<FindMembers> {
  const ids = new Set([importerId]);
  for (const { memberIds = [], cards } of plans) {
    for (const id of memberIds) ids.add(id);
    for (const card of cards) for (const id of card.memberIds) ids.add(id);
  }
  const members = await tx.db
    .select({ id: member.id, publicId: member.publicId, role: member.role })
    .from(member)
    .where(and(eq(member.workspaceId, tx.workspaceId), oneOf(member.id, [...ids])));
  const byId = new Map(members.map((one) => [one.id, one]));
  return (wanted) => wanted.flatMap((id) => byId.get(id) ?? []);
}

async function cardPrefixOf(tx: Tx): Promise<string> {
  const [row] = await tx.db
    .select({ cardPrefix: workspaceTable.cardPrefix })
    .from(workspaceTable)
    .where(eq(workspaceTable.id, tx.workspaceId));
  if (row === undefined) throw notFound();
  return row.cardPrefix;
}

/** Whether a card will be open on its list; the others are archived. */
const isOpen = ({ listIndex, archivedAt }: CardPlan) => listIndex !== null && (archivedAt ?? null) === null;

/** The lists of a board, with the number of cards that will be open on each. */
function listsOf({ lists, cards }: BoardPlan): { name: string; openCards: number }[] {
  const open = lists.map((name) => ({ name, openCards: 0 }));
  for (const card of cards) {
    const list = card.listIndex === null ? undefined : open[card.listIndex];
    if (list !== undefined && isOpen(card)) list.openCards += 1;
  }
  return open;
}

/** The end of an empty list. */
const EMPTY = { position: 0, to: 0 };

/** The cards of a board, each after the previous one of its list, from the ends of the lists on, which are empty by default. */
export function plannedCards(
  plans: readonly CardPlan[],
  { lists, labels, ...named }: MadeBoard,
  { workspacePublicId, cardPrefix }: Around,
  membersOf: FindMembers,
  ends: readonly Pick<Place, "position" | "to">[] = [],
): CardAddition[] {
  const board = { ...named, workspacePublicId, cardPrefix };
  const counts = lists.map(() => 0);
  return plans.map((plan) => {
    const list = plan.listIndex === null ? null : lists[plan.listIndex];
    if (list === undefined) throw new Error(`The plan of a board has no list ${plan.listIndex}`);
    const end = ends[plan.listIndex ?? 0] ?? EMPTY;
    const count = plan.listIndex === null ? 0 : (counts[plan.listIndex] ?? 0);
    if (plan.listIndex !== null && isOpen(plan)) counts[plan.listIndex] = count + 1;
    return {
      board,
      list,
      place: isOpen(plan) ? { position: end.position + count * GAP, index: end.to + count } : null,
      archivedAt: plan.archivedAt ?? null,
      createdAt: plan.createdAt ?? null,
      labels: plan.labelIndexes.flatMap((place) => labels[place] ?? []),
      members: membersOf(plan.memberIds),
      comments: (plan.comments ?? []).map(({ author, createdAt, ...comment }) => ({
        importedFrom: { name: author, createdAt },
        ...comment,
      })),
      ...newParts(plan),
      ...newCardValues(plan),
    };
  });
}
