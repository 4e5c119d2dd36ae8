// The caller's own changes on a board: how each appears before the service has answered, and how its input is read.

import { divided } from "./cardParts.js";
import type { ChangePath, InputOf } from "./changePaths.js";
import { BOARD_UPDATES } from "./optimisticBoards.js";
import { CARD_UPDATES, listOf } from "./optimisticCards.js";
import type { ChangeContext, OptimisticUpdates } from "./optimisticEvents.js";
import { checklistWith, PART_UPDATES } from "./optimisticParts.js";
import type { BoardState, CardState } from "./state.js";

const OPTIMISTIC: OptimisticUpdates = { ...CARD_UPDATES, ...PART_UPDATES, ...BOARD_UPDATES };

/** An input with its names and titles as the service stores them. */
const trimmed = <Input extends { title?: string; name?: string }>(input: Input): Input => ({
  ...input,
  ...(input.title && { title: input.title.trim() }),
  ...(input.name && { name: input.name.trim() }),
});

/** The board as it will be after a change. */
export const withChange = <Path extends ChangePath>(
  board: BoardState,
  path: Path,
  input: InputOf<Path>,
  context: ChangeContext,
): BoardState => OPTIMISTIC[path](board, trimmed(input), context);

/** The input with what it leaves to the moment in which the service reads it: whether a toggle adds or removes. */
export function withExplicitToggle(board: BoardState, path: ChangePath, input: object): object {
  const { cardPublicId = "", labelPublicId = "", memberPublicId = "", on } = input as Partial<Record<string, string>>;
  const card = board.cards[cardPublicId];
  if (card === undefined || on !== undefined) return input;
  if (path === "card.toggleLabel") return { ...input, on: !card.labelIds.includes(labelPublicId) };
  if (path !== "card.toggleMember") return input;
  return { ...input, on: !card.members.some(({ publicId }) => publicId === memberPublicId) };
}

/** The siblings among which the index of an input counts, in order, without the thing itself; null where there is no index. */
export function siblingsOf(board: BoardState, path: ChangePath, input: object): readonly string[] | null {
  const { cardPublicIds = [], ...ids } = input as { cardPublicIds?: readonly string[] };
  const { cardPublicId = "", listPublicId, itemPublicId = "", index } = ids as Partial<Record<string, string>>;
  if (index === undefined) return null;
  const others = (all: readonly string[] = [], ...own: readonly string[]) => {
    const moved = new Set(own);
    return all.filter((id) => !moved.has(id));
  };
  if (path === "card.create" || path === "card.update" || path === "card.bulk.move") {
    const target = listPublicId ?? listOf(board, cardPublicId)?.publicId;
    const list = board.lists.find(({ publicId }) => publicId === target);
    // The siblings on another board are not known.
    return list === undefined ? null : others(list.cardIds, cardPublicId, ...cardPublicIds);
  }
  const idsOf = (all: readonly { publicId: string }[] = []) => all.map(({ publicId }) => publicId);
  if (path === "board.lists.update") return others(idsOf(board.lists), listPublicId ?? "");
  return path === "card.checklists.updateItem"
    ? others(idsOf(checklistWith(board, itemPublicId)?.checklist.items), itemPublicId)
    : null;
}

/** The identifiers of an input by which it names things. */
export const idsIn = (input: object): string[] =>
  Object.entries(input).flatMap(([name, id]) => (name.endsWith("PublicId") ? [String(id)] : []));

/** Whether an identifier is anywhere in a value. */
export const names = (value: object, id: string): boolean => JSON.stringify(value).includes(`"${id}"`);

/** The card that a change is about, or the first of several; undefined if it is about something else. */
export function cardOf(board: BoardState, input: object): CardState | undefined {
  const { cardPublicId, cardPublicIds, ...others } = input as {
    cardPublicId?: string;
    cardPublicIds?: readonly string[];
  };
  const publicId = cardPublicId ?? cardPublicIds?.[0];
  if (publicId !== undefined) return board.cards[publicId];
  // The input names a part alone.
  const ids = idsIn(others);
  return Object.values(board.cards).find(
    ({ details }) => details !== null && ids.some((id) => names(divided(details).parts, id)),
  );
}
