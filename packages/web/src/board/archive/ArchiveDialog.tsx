// The archived cards of a board, the last archived first. Loaded when it is first opened.

import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide";
import { announce } from "../../parts/announce.js";
import { ConfirmButton } from "../../parts/ConfirmButton.js";
import { Icon } from "../../parts/Icon.js";
import { More } from "../../parts/More.js";
import { TitledDialog } from "../../parts/TitledDialog.js";
import { TryAgain } from "../../parts/TryAgain.js";
import { queryClient } from "../../session/queryClient.js";
import { texts } from "../../texts/later.js";
import { useBoardState, useShownBoard } from "../context.js";
import { archivedCards } from "../queries.js";

export default function ArchiveDialog({ close }: { close: () => void }) {
  const text = texts.archive;
  const { followed, may } = useShownBoard();
  const boardPublicId = useBoardState((board) => board.publicId);
  const prefix = useBoardState((board) => board.workspace.cardPrefix);
  const list = useInfiniteQuery(archivedCards(boardPublicId));
  const cards = list.data?.pages.flatMap(({ items }) => items);
  const readAgain = () => queryClient.invalidateQueries(archivedCards(boardPublicId));
  const restore = (cardPublicId: string, title: string) =>
    void followed
      .change("card.unarchive", { cardPublicId })
      .then(() => announce(text.restored(title)))
      // A change that is refused is reported by the board itself.
      .catch(() => {})
      .finally(readAgain);
  return (
    <TitledDialog heading={text.heading} close={close}>
      <TryAgain of={list} />
      {cards?.length === 0 && <p className="hint">{text.none}</p>}
      {cards !== undefined && cards.length > 0 && (
        <ul aria-label={text.heading}>
          {cards.map(({ publicId, title, cardNumber }) => (
            <li key={publicId} className="person">
              <span className="names">
                <span dir="auto">{title}</span>
                <span className="hint">{`${prefix}-${cardNumber}`}</span>
              </span>
              {may("card:edit") && (
                <button
                  type="button"
                  className="btn"
                  aria-label={text.restoreCard(title)}
                  onClick={() => restore(publicId, title)}
                >
                  <Icon of={RotateCcw} />
                  <span>{text.restore}</span>
                </button>
              )}
              {may("card:delete") && (
                <ConfirmButton
                  className="btn plain icon danger"
                  name={text.deleteCard(title)}
                  heading={text.deleteAsks(title)}
                  text={text.deleteText}
                  action={texts.card.delete}
                  run={() => followed.change("card.delete", { cardPublicId: publicId }).then(readAgain)}
                >
                  <Icon of={Trash2} />
                </ConfirmButton>
              )}
            </li>
          ))}
        </ul>
      )}
      <More of={list} className="btn">
        {text.more}
      </More>
    </TitledDialog>
  );
}
