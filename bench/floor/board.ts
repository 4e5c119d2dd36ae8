// The floor's board: flat rows, put together by hand into the service's answer.

import type { Role } from "../../src/access/permissions.js";
import { type PersonRow, shownMember } from "../../src/access/shownPeople.js";
import { byName } from "../../src/api/shapes.js";

interface Named {
  publicId: string;
  name: string;
  colourCode: string;
}

interface Row {
  /** Set in the one row of the board's head, as is what follows. */
  role: Role | null;
  member_id: number;
  favourite: boolean;
  show_emails_to_members: boolean;
  board: { publicId: string; name: string; slug: string; visibility: string; isArchived: boolean };
  workspace: object;
  labels: (Named & { id: number })[] | null;
  tags: Named[] | null;
  people: (PersonRow & { isBoardMember: boolean })[];
  /** Set in the others. */
  list_id: number;
  list_public_id: string;
  list_name: string;
  card_public_id: string | null;
  title: string;
  description: string;
  card_number: number;
  due_date: string | null;
  due_has_time: boolean;
  completed_at: string | null;
  priority: string;
  items_total: number;
  items_completed: number;
  comment_count: number;
  label_ids: string;
  member_ids: string;
}

const shownLabel = ({ publicId, name, colourCode }: Named) => ({ publicId, name, colourCode });

/** Those of `from` whose keys an array of PostgreSQL holds, in their order. */
function among<T extends { id: number }, Shown>(ids: string, from: readonly T[], shown: (value: T) => Shown): Shown[] {
  if (ids === "{}") return [];
  const wanted = ids.slice(1, -1).split(",").map(Number);
  return from.filter(({ id }) => wanted.includes(id)).map(shown);
}

/** The answer's text; the caller sees no board where there is no head. */
export function boardFrom(rows: readonly object[]): { text: string } {
  const all = rows as readonly Row[];
  const head = all.find((row) => row.role !== null);
  if (head === undefined || head.role === null) throw new Error("No board");
  const labels = (head.labels ?? []).sort(byName);
  const lists: { id: number; publicId: string; name: string; index: number; cards: object[] }[] = [];
  for (const row of all) {
    if (row === head) continue;
    let list = lists.at(-1);
    if (list?.id !== row.list_id) {
      list = { id: row.list_id, publicId: row.list_public_id, name: row.list_name, index: lists.length, cards: [] };
      lists.push(list);
    }
    if (row.card_public_id === null) continue;
    list.cards.push({
      publicId: row.card_public_id,
      title: row.title,
      description: row.description,
      cardNumber: row.card_number,
      index: list.cards.length,
      dueDate: row.due_date,
      dueHasTime: row.due_has_time,
      completedAt: row.completed_at,
      priority: row.priority,
      labels: among(row.label_ids, labels, shownLabel),
      members: among(row.member_ids, head.people, ({ publicId, name, image }) => ({
        publicId,
        name: name ?? "",
        image,
      })),
      checklistItems: { total: row.items_total, completed: row.items_completed },
      commentCount: row.comment_count,
    });
  }
  const reader = { memberId: head.member_id, role: head.role, showEmailsToMembers: head.show_emails_to_members };
  const { board, favourite, tags, workspace, people } = head;
  const answer = {
    ...board,
    isFavourite: favourite,
    tags: (tags ?? []).sort(byName).map(shownLabel),
    workspace,
    labels: labels.map(shownLabel),
    members: people
      .filter(({ isBoardMember }) => isBoardMember)
      .map((person) => {
        const { publicId, name, image, ...place } = shownMember(person, reader);
        return { publicId, name, image, ...place };
      }),
    lists: lists.map(({ publicId, name, index, cards }) => ({ publicId, name, index, cards })),
  };
  return { text: JSON.stringify(answer) };
}
