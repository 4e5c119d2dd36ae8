// Imports rows onto an existing board (capabilities section 0, CSV): lists and labels are matched by name or created; cards are
// added at the ends of their lists.

import { type BoardAccess, boardFor, mustBeOpen, type Named } from "../../access/guards.js";
import { may } from "../../access/permissions.js";
import type { Tx } from "../../api/change.js";
import type { Signed } from "../../api/context.js";
import { forbidden, notFound } from "../../api/errors.js";
import { addLabels, labelsIn } from "../../board/labels.js";
import { addLists, type ListEnd, listEndsIn } from "../../board/lists.js";
import { placeOn } from "../../card/model/cardOrder.js";
import type { Database } from "../../db/client.js";
import { nameKey } from "../../db/nameKey.js";
import { list } from "../../db/schema/index.js";
import { runImport } from "../importing.js";
import { assigneesOf } from "../matchedPeople.js";
import { colourAt } from "../palette.js";
import { type BoardPlan, plannedCounts, sum } from "../plans.js";
import { addImportedCards, memberKeys, plannedCards } from "../writeBoards.js";
import { assigningPeople } from "./assignedPeople.js";
import type { PlannedBoard } from "./rows.js";

interface Wanted {
  workspacePublicId: string;
  boardPublicId: string;
  dryRun: boolean;
}

/** The lists and labels of the board that match those of a plan, at the same indexes; null for those that it lacks. */
interface Present {
  lists: (ListEnd | null)[];
  labels: (Named | null)[];
}

/** A plan compared with the board: `lacking` has the cards, and the lists and labels to create. */
interface Matched {
  present: Present;
  lacking: BoardPlan;
}

/** Finds objects by the keys of their names, the first of each. */
function byNameOf<Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string): (name: string) => Thing | null {
  const byKey = new Map(things.toReversed().map((thing) => [nameKey(nameOf(thing)), thing]));
  return (name) => byKey.get(nameKey(name)) ?? null;
}

/** Matches a plan with a board. New labels get the colours after those of the board's labels. */
async function matched(on: Signed, board: BoardAccess, plan: BoardPlan): Promise<Matched> {
  const [lists, labels] = [await listEndsIn(on.db, board), await labelsIn(on.db, board)];
  const listNamed = byNameOf(lists, ({ listName }) => listName);
  const labelNamed = byNameOf(labels, ({ name }) => name);
  const present = {
    lists: plan.lists.map(listNamed),
    labels: plan.labels.map(({ name }) => labelNamed(name)),
  };
  const newLabels = plan.labels.filter((_, place) => present.labels[place] === null);
  const lacking = {
    ...plan,
    lists: plan.lists.filter((_, place) => present.lists[place] === null),
    labels: newLabels.map(({ name }, place) => ({ name, colourCode: colourAt(labels.length + place) })),
  };
  return { present, lacking };
}

/** The existing object, or the next new one, at each index. */
const filled = <Thing>(present: readonly (Thing | null)[], made: readonly Thing[]): Thing[] => {
  const rest = [...made];
  return present.flatMap((thing) => thing ?? rest.shift() ?? []);
};

/** Creates what the board lacks, then the cards; each with its event. */
async function append(tx: Tx, board: BoardAccess, { present, lacking }: Matched): Promise<void> {
  const lists = filled(present.lists, await addLists(tx, board, lacking.lists));
  const labels = filled(present.labels, addLabels(tx, board, lacking.labels));
  const starts = await Promise.all(lists.map((end) => placeOn(tx, { ...board, ...end }, "end")));
  const madeLists = lists.map(({ listId: id, listPublicId: publicId, listName: name }) => ({ id, publicId, name }));
  const membersOf = await memberKeys(tx, board.memberId, [lacking]);
  const around = { boardId: board.boardId, boardPublicId: board.boardPublicId, boardName: board.boardName };
  const cards = plannedCards(lacking.cards, { ...around, lists: madeLists, labels }, board, membersOf, starts);
  await addImportedCards(tx, cards);
  const grown = lists.flatMap(({ listId: id, openCards }, place) => {
    const added = sum(lacking.cards, ({ listIndex }) => (listIndex === place ? 1 : 0));
    return added === 0 ? [] : [{ id, openCards: openCards + added }];
  });
  tx.setEach(list, grown);
}

/** Appends the rows of a plan to a board. Requires `card:create`, `list:create` for new lists, `board:edit` for new labels. */
export const importOnto = <Report extends object>(
  ctx: Signed<Database>,
  { boardPublicId, ...wanted }: Wanted,
  planned: PlannedBoard,
  report: Report,
) =>
  runImport(ctx, wanted, "card:create", async (on, workspace, tx) => {
    const board = await boardFor(on, boardPublicId, "card:create");
    if (board.workspaceId !== workspace.workspaceId) throw notFound();
    const { planOf, unmatchedAssignees } = assigningPeople([planned], await assigneesOf(on, workspace, board));
    const matching = await matched(on, board, planOf(planned));
    const { lists, labels } = matching.lacking;
    if (lists.length > 0 && !may(board.role, "list:create")) throw forbidden();
    if (labels.length > 0 && !may(board.role, "board:edit")) throw forbidden();
    mustBeOpen(board);
    if (tx !== null) await append(tx, board, matching);
    const made = { ...plannedCounts([matching.lacking]), boardsCreated: 0 };
    return { ...made, unmatchedAssignees, ...report, boardPublicId: tx === null ? null : board.boardPublicId };
  });
