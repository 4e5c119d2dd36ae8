import Markdown from "../parts/Markdown.js";
import { TitledDialog } from "../parts/TitledDialog.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { CardChips } from "./PublicCard.js";
import type { Card } from "./query.js";

/** A card over its public board. */
export const PublicDialog = ({ card, close }: { card: Card; close: () => void }) => (
  <TitledDialog heading={card.title} close={close}>
    <title>{t.title(card.title)}</title>
    <div className="stack-8">
      <p className="hint">
        #{card.cardNumber}
        {card.priority !== "none" && ` · ${t.card.priorities[card.priority]}`}
        {card.completedAt !== null && ` · ${texts.publicBoard.completed}`}
        {card.checklistItems.total > 0 && ` · ${t.card.done(card.checklistItems.completed, card.checklistItems.total)}`}
      </p>
      <CardChips card={card} />
    </div>
    {card.description === "" ? (
      <p className="hint">{texts.publicBoard.noDescription}</p>
    ) : (
      <Markdown text={card.description} />
    )}
  </TitledDialog>
);
