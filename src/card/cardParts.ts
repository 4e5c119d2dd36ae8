// What hangs on cards, read for moves and copies: labels, assignees, checklists.

import { and, asc, eq, inArray } from "drizzle-orm";
import type { CardAccess } from "../access/cardGuards.js";
import type { Role } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { byName } from "../api/shapes.js";
import { cardLabel, cardMember, checklist, checklistItem, label, member } from "../db/schema/index.js";

/** A label on a card. */
export interface LabelPart {
  id: number;
  publicId: string;
  name: string;
  nameKey: string;
  colourCode: string;
}

/** An assignee of a card. */
export interface MemberPart {
  id: number;
  publicId: string;
  role: Role;
}

/** A checklist of a card, its items in order. */
export interface ChecklistPart {
  publicId: string;
  name: string;
  items: { publicId: string; title: string; completed: boolean; position: number }[];
}

/** What hangs on one card. */
export interface CardParts {
  labels: LabelPart[];
  members: MemberPart[];
  checklists: ChecklistPart[];
}

/** What hangs on some cards, in three statements whatever their number; cards without anything are left out. */
export async function partsOf(tx: Tx, cards: readonly CardAccess[]): Promise<(card: CardAccess) => CardParts> {
  const ids = cards.map(({ cardId }) => cardId);
  const [labels, members, checklists] = await Promise.all([
    labelsOf(tx, ids),
    membersOf(tx, ids),
    checklistsOf(tx, ids),
  ]);
  const labelsBy = byCard(labels);
  const membersBy = byCard(members);
  return ({ cardId }) => ({
    labels: labelsBy.get(cardId) ?? [],
    members: membersBy.get(cardId) ?? [],
    checklists: checklists.get(cardId) ?? [],
  });
}

/** Rows by the card that they are on, in their order. */
function byCard<Row extends { cardId: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const own = found.get(row.cardId) ?? [];
    found.set(row.cardId, own);
    own.push(row);
  }
  return found;
}

/** By name, as cards show them. */
async function labelsOf(tx: Tx, ids: number[]) {
  const { id, publicId, name, nameKey, colourCode } = label;
  const rows = await tx.db
    .select({ cardId: cardLabel.cardId, id, publicId, name, nameKey, colourCode })
    .from(cardLabel)
    .innerJoin(label, and(eq(label.workspaceId, tx.workspaceId), eq(label.id, cardLabel.labelId)))
    .where(and(eq(cardLabel.workspaceId, tx.workspaceId), inArray(cardLabel.cardId, ids)));
  return rows.sort(byName);
}

/** In the order in which they joined, as cards show them. */
function membersOf(tx: Tx, ids: number[]) {
  const { id, publicId, role } = member;
  return tx.db
    .select({ cardId: cardMember.cardId, id, publicId, role })
    .from(cardMember)
    .innerJoin(member, and(eq(member.workspaceId, tx.workspaceId), eq(member.id, cardMember.memberId)))
    .where(and(eq(cardMember.workspaceId, tx.workspaceId), inArray(cardMember.cardId, ids)))
    .orderBy(asc(member.id));
}

async function checklistsOf(tx: Tx, ids: number[]): Promise<Map<number, ChecklistPart[]>> {
  const rows = await tx.db
    .select({
      cardId: checklist.cardId,
      publicId: checklist.publicId,
      name: checklist.name,
      itemPublicId: checklistItem.publicId,
      title: checklistItem.title,
      completed: checklistItem.completed,
      position: checklistItem.position,
    })
    .from(checklist)
    .leftJoin(
      checklistItem,
      and(eq(checklistItem.workspaceId, tx.workspaceId), eq(checklistItem.checklistId, checklist.id)),
    )
    .where(and(eq(checklist.workspaceId, tx.workspaceId), inArray(checklist.cardId, ids)))
    .orderBy(asc(checklist.id), asc(checklistItem.position));
  const found = new Map<number, ChecklistPart[]>();
  for (const { cardId, publicId, name, itemPublicId, title, completed, position } of rows) {
    const own = found.get(cardId) ?? [];
    found.set(cardId, own);
    if (own.at(-1)?.publicId !== publicId) own.push({ publicId, name, items: [] });
    if (itemPublicId === null || title === null || completed === null || position === null) continue;
    own.at(-1)?.items.push({ publicId: itemPublicId, title, completed, position });
  }
  return found;
}
