import { Field } from "../parts/Field.js";
import { onSubmit } from "../parts/onSubmit.js";
import { TitledDialog } from "../parts/TitledDialog.js";
import { texts } from "../texts/later.js";
import { type DueCard, dayOfCard } from "./queries.js";

interface Props {
  card: DueCard;
  move: (card: DueCard, day: string) => void;
  close: () => void;
}

/** Asks on which day a card is due. */
export function DueDialog({ card, move, close }: Props) {
  const submit = onSubmit((values) => {
    move(card, String(values.get("day")));
    close();
  });
  return (
    <TitledDialog heading={card.title} close={close}>
      <form className="fields" onSubmit={submit}>
        <Field label={texts.card.dueDate} name="day" type="date" required defaultValue={dayOfCard(card)} />
        <button type="submit" className="btn primary l">
          {texts.card.save}
        </button>
      </form>
    </TitledDialog>
  );
}
