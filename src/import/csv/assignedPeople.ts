// Assigns the people that the cells of a row name to the cards of a plan.

import type { FindMember } from "../matchedPeople.js";
import { NameList } from "../nameList.js";
import { colourAt } from "../palette.js";
import type { BoardPlan } from "../plans.js";
import type { Assignees, PlannedBoard } from "./rows.js";

/** The members that a cell names: as a whole, otherwise in parts. `unmatched` collects names that match nobody. */
function membersIn({ whole, groups }: Assignees, memberOf: FindMember, unmatched: NameList): number[] {
  const member = memberOf(whole);
  if (member !== null) return [member];
  return groups.flatMap(({ text, names }) => {
    const one = memberOf(text);
    if (one !== null) return one;
    return names.flatMap((name) => {
      const match = memberOf(name);
      if (match === null) unmatched.indexOf(name);
      return match ?? [];
    });
  });
}

/** The boards as they are written, and the assignees who match nobody, in order of appearance. */
export function assigningPeople(boards: readonly PlannedBoard[], memberOf: FindMember) {
  const unmatched = new NameList();
  const inRowOrder = boards.flatMap(({ cards }) => cards).sort((a, b) => a.rowNumber - b.rowNumber);
  const assigned = new Map(
    inRowOrder.map(({ rowNumber, assignees }) => [
      rowNumber,
      new Set(assignees.flatMap((cell) => membersIn(cell, memberOf, unmatched))),
    ]),
  );
  const planOf = ({ name, lists, labels, cards }: PlannedBoard): BoardPlan => ({
    name,
    lists,
    labels: labels.map((label, index) => ({ name: label, colourCode: colourAt(index) })),
    cards: cards.map(({ assignees: _, checklist, ...card }) => ({
      memberIds: [...(assigned.get(card.rowNumber) ?? [])],
      checklists: checklist === null ? [] : [checklist],
      ...card,
    })),
  });
  return { planOf, unmatchedAssignees: unmatched.names };
}
