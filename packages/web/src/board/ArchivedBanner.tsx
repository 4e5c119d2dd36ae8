import { Archive } from "lucide";
import { Link } from "wouter";
import { settingsOfBoard } from "../addresses.js";
import { useAnnouncement } from "../parts/announcing.js";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import { useBoardState, useShownBoard } from "./context.js";

/** Says that the board is archived, and leads to where it is restored. */
export default function ArchivedBanner() {
  const { may } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  useAnnouncement(texts.boardArchived.text);
  return (
    <div className="banner off" role="status" aria-live="off">
      <Icon of={Archive} />
      <span>{texts.boardArchived.text}</span>
      {may("board:edit") && (
        <Link className="link" href={settingsOfBoard(boardPublicId, "archive")}>
          {texts.boardArchived.restore}
        </Link>
      )}
    </div>
  );
}
