import { useQuery } from "@tanstack/react-query";
import { Archive, ArrowRight, Trash2 } from "lucide";
import type { ReactElement } from "react";
import type { CardState } from "work-board-client/board";
import { Link } from "wouter";
import { useChange, useShownBoard } from "../board/context.js";
import { boardOfCard } from "../board/queries.js";
import { failureOf } from "../client.js";
import { useAnnouncement } from "../parts/announcing.js";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";

/** Says that an open card was archived, moved to another board or deleted, and offers the next step. */
export const Gone = ({ card }: { card: CardState }) =>
  card.details?.archivedAt == null ? <Left cardPublicId={card.publicId} /> : <Archived cardPublicId={card.publicId} />;

function Banner({ icon, text, children }: { icon: typeof Archive; text: string; children?: ReactElement | false }) {
  useAnnouncement(text);
  return (
    <div className="banner off" role="status" aria-live="off">
      <Icon of={icon} />
      <span>{text}</span>
      {children}
    </div>
  );
}

function Archived({ cardPublicId }: { cardPublicId: string }) {
  const { may } = useShownBoard();
  const change = useChange();
  return (
    <Banner icon={Archive} text={texts.card.isArchived}>
      {may("card:edit") && (
        <button
          type="button"
          className="btn s"
          onClick={({ currentTarget }) => {
            currentTarget.closest<HTMLElement>("[role=dialog]")?.focus();
            change("card.unarchive", { cardPublicId });
          }}
        >
          {texts.card.restore}
        </button>
      )}
    </Banner>
  );
}

/** A card that left the board. The board does not know where to. */
function Left({ cardPublicId }: { cardPublicId: string }) {
  const { followed } = useShownBoard();
  const { data, error } = useQuery({ ...boardOfCard(cardPublicId), staleTime: 0 });
  if (error !== null && failureOf(error).code === "NOT_FOUND") {
    return <Banner icon={Trash2} text={texts.card.isDeleted} />;
  }
  if (data === undefined || data.publicId === followed.state().board?.publicId) {
    return <Banner icon={ArrowRight} text={texts.card.hasLeft} />;
  }
  return (
    <Banner icon={ArrowRight} text={texts.card.isMoved(data.name)}>
      <Link className="btn s" href={`/boards/${data.publicId}`}>
        {texts.card.openBoard}
      </Link>
    </Banner>
  );
}
