import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useRoute } from "wouter";
import { client, failureOf } from "../client.js";
import { Missing } from "../NotFound.js";
import { t } from "../texts/index.js";
import { BoardPage } from "./BoardPage.js";
import { BOARD_ROUTE, boardWith } from "./followed.js";
import { Skeleton } from "./Skeleton.js";

/** A board, or a card over its board. The board stays as it is while cards open and close. */
export function BoardRoute() {
  const [, params] = useRoute<{ kind: string; publicId: string }>(BOARD_ROUTE);
  const { kind, publicId = "" } = params ?? {};
  const cardPublicId = kind === "cards" ? publicId : null;
  const last = useRef<string | undefined>(undefined);
  const known = cardPublicId === null ? publicId : boardWith(cardPublicId);
  const { data, error } = useQuery({
    queryKey: ["boardOf", cardPublicId],
    queryFn: async ({ signal }) => {
      const { board } = await client.card.get.query({ cardPublicId: cardPublicId ?? "" }, { signal });
      return board.publicId;
    },
    enabled: known === undefined,
  });
  const boardPublicId = known ?? data ?? last.current;
  last.current = boardPublicId;
  if (known === undefined && error) return <Missing heading={t.notFound.heading} text={failureOf(error).text} />;
  if (boardPublicId === undefined) return <Skeleton />;
  // The board that stays meanwhile would take the card for one of its own that has left it.
  const isUnknown = known === undefined && data === undefined;
  return (
    <BoardPage key={boardPublicId} boardPublicId={boardPublicId} cardPublicId={isUnknown ? null : cardPublicId} />
  );
}
