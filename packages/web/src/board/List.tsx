import { Plus } from "lucide-react";
import { memo } from "react";
import type { ListState } from "work-board-client/board";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { Card } from "./Card.js";
import { useChange, useShownBoard } from "./context.js";
import { Name } from "./Name.js";
import { QuickAdd } from "./QuickAdd.js";

interface Props {
  list: ListState;
  /** The card whose title is edited, if any. */
  edited: string | null;
  stopEditing: (cardPublicId: string, isByKey: boolean) => void;
  isComposing: boolean;
  /** Opens the field for new cards of a list, or closes it. */
  compose: (listPublicId: string | null) => void;
  openMenu: (cardPublicId: string) => void;
}

/** A list with its cards. */
export const List = memo(function List({ list, edited, stopEditing, isComposing, compose, openMenu }: Props) {
  const { may, followed } = useShownBoard();
  const change = useChange();
  const { publicId, name, cardIds } = list;
  // A card that was made here keeps its key when it gets its identifier, and with it the focus.
  const keyOf = (cardPublicId: string) => followed.state().board?.cards[cardPublicId]?.key ?? cardPublicId;
  return (
    <section className="list" aria-label={name} data-list={publicId}>
      <div className="list-head">
        <Name
          as="h2"
          name={name}
          label={t.board.nameOfThisList}
          canEdit={may("list:edit")}
          save={(next) => change("board.lists.update", { listPublicId: publicId, name: next })}
        />
        <span className="count">{cardIds.length}</span>
      </div>
      <ul className="cards" aria-label={t.board.cardsIn(name)}>
        {cardIds.map((cardPublicId, index) => (
          <Card
            key={keyOf(cardPublicId)}
            cardPublicId={cardPublicId}
            index={index}
            size={cardIds.length}
            isEdited={edited === cardPublicId}
            stopEditing={stopEditing}
            openMenu={openMenu}
          />
        ))}
      </ul>
      {may("card:create") && (
        <div className="list-foot">
          {isComposing && <QuickAdd listPublicId={publicId} close={() => compose(null)} />}
          {!isComposing && (
            <button
              type="button"
              className="add"
              aria-label={t.board.addCardTo(name)}
              onClick={() => compose(publicId)}
            >
              <Icon of={Plus} />
              {t.board.addCard}
            </button>
          )}
        </div>
      )}
    </section>
  );
});
