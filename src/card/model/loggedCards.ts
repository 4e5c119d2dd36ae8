// A card as its creation event contains it: complete, so that followers of the log need no further requests (capabilities section
// 0, Events).

import type { BoardAccess } from "../../access/guards.js";
import { cardEvent, type NewEvent } from "../../events/log.js";
import type { CardValues } from "./cardFields.js";
import type { ShownParts } from "./ownParts.js";

/** A label with the fields that are shown. */
interface LoggedLabel {
  publicId: string;
  name: string;
  colourCode: string;
}

/** A card as `GET /cards/{cardPublicId}` returns it, without board and workspace; people only as identifiers. */
export interface LoggedCard extends CardValues, ShownParts {
  publicId: string;
  cardNumber: number;
  /** Null while archived. */
  index: number | null;
  labels: LoggedLabel[];
  members: { publicId: string }[];
  checklistItems: { total: number; completed: number };
  commentCount: number;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  list: { publicId: string; name: string } | null;
}

type LoggedBoard = Pick<BoardAccess, "boardPublicId" | "boardName" | "workspacePublicId" | "cardPrefix">;

/** A card on a board, as events hold it. */
export function loggedCard(board: LoggedBoard, card: LoggedCard): object {
  const { boardPublicId, boardName, workspacePublicId, cardPrefix } = board;
  return {
    board: { publicId: boardPublicId, name: boardName },
    workspace: { publicId: workspacePublicId, cardPrefix },
    ...card,
  };
}

/**
 * The event of a card that was created, copied or imported on a board. Its position is stored outside of the card as well, because
 * it stays when the card's texts are redacted, and later moves depend on it.
 */
export const cardCreated = (board: LoggedBoard, card: LoggedCard): NewEvent =>
  cardEvent({ boardPublicId: board.boardPublicId, cardPublicId: card.publicId }, "card.created", {
    card: loggedCard(board, card),
    ...(card.list !== null && card.index !== null && { to: { listPublicId: card.list.publicId, index: card.index } }),
  });
