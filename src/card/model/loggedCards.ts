// A card as its creation event contains it: complete, so that followers of the log need no further requests (capabilities section
// 0, Events).

import type { z } from "zod";
import type { BoardAccess } from "../../access/guards.js";
import { cardEvent, type NewEvent } from "../../events/log.js";
import type { LoggedCard as Shown } from "./cardShapes.js";

/** A card as `GET /cards/{cardPublicId}` returns it, without board and workspace; people only as identifiers. */
export interface LoggedCard extends Omit<z.output<typeof Shown>, "board" | "workspace" | "members"> {
  members: { publicId: string }[];
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

/** The event of a new card on a board. Its position stands outside of the card too, since it outlives redaction. */
export const cardCreated = (board: LoggedBoard, card: LoggedCard): NewEvent =>
  cardEvent({ boardPublicId: board.boardPublicId, cardPublicId: card.publicId }, "card.created", {
    card: loggedCard(board, card),
    ...(card.list !== null && card.index !== null && { to: { listPublicId: card.list.publicId, index: card.index } }),
  });
