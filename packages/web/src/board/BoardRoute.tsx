import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useRoute } from "wouter";
import { ReadPage } from "../frame/ReadPage.js";
import { BoardPage } from "./BoardPage.js";
import { BOARD_ROUTE, boardIdWithCard } from "./followed.js";
import { boardOfCard } from "./queries.js";
import { Skeleton } from "./Skeleton.js";

/** A board, or a card over its board. The board stays as it is while cards open and close. */
export function BoardRoute() {
  const [, params] = useRoute<{ kind: string; publicId: string }>(BOARD_ROUTE);
  const { kind, publicId = "" } = params ?? {};
  const cardPublicId = kind === "cards" ? publicId : null;
  const last = useRef<string | undefined>(undefined);
  const known = cardPublicId === null ? publicId : boardIdWithCard(cardPublicId);
  const query = useQuery({
    ...boardOfCard(publicId),
    select: (board) => board.publicId,
    enabled: known === undefined,
  });
  const own = known ?? query.data;
  const boardPublicId = own ?? last.current;
  last.current = boardPublicId;
  // The board that stays while that of a card is unknown would take the card for one of its own that has left it.
  const page = (board: string) => (
    <BoardPage key={board} boardPublicId={board} cardPublicId={own === undefined ? null : cardPublicId} />
  );
  if (known === undefined && query.error) return <ReadPage of={query}>{page}</ReadPage>;
  return boardPublicId === undefined ? <Skeleton /> : page(boardPublicId);
}
