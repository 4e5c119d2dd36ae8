import Markdown from "../card/Markdown.js";
import { TitledDialog } from "../parts/TitledDialog.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { CardChips } from "./PublicCard.js";
import type { Card } from "./queries.js";

function factsOf({ cardNumber, priority, completedAt, checklistItems: { completed, total } }: Card): string[] {
  return [
    texts.publicBoard.number(cardNumber),
    ...(priority === "none" ? [] : [t.card.priorities[priority]]),
    ...(completedAt === null ? [] : [texts.publicBoard.completed]),
    ...(total === 0 ? [] : [t.card.done(completed, total)]),
  ];
}

/** A card over its public board. */
export const PublicDialog = ({ card, close }: { card: Card; close: () => void }) => (
  <TitledDialog heading={card.title} close={close}>
    <title>{t.title(card.title)}</title>
    <div className="stack-8">
      <p className="hint">{factsOf(card).join(" · ")}</p>
      <CardChips card={card} />
    </div>
    {card.description === "" ? (
      <p className="hint">{texts.publicBoard.noDescription}</p>
    ) : (
      <Markdown text={card.description} />
    )}
  </TitledDialog>
);
