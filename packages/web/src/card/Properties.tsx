import type { Ref } from "react";
import type { CardState } from "work-board-client/board";
import { useAssignMe } from "../board/cardActions.js";
import { meFirst, useBoardState, useChange, useShownBoard } from "../board/context.js";
import { DueChip } from "../board/DueChip.js";
import { useSingleKeys } from "../keys/singleKeys.js";
import { Avatar } from "../parts/Avatar.js";
import { LabelChip } from "../parts/LabelChip.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import { DatePicker } from "./DatePicker.js";
import { LabelPicker } from "./LabelPicker.js";
import { PeoplePicker } from "./PeoplePicker.js";
import { Picker } from "./Picker.js";
import { PriorityPicker } from "./PriorityPicker.js";

/** The properties of a card, beside its text. */
export function Properties({ card, ref }: { card: CardState; ref: Ref<HTMLElement> }) {
  const { may } = useShownBoard();
  const change = useChange();
  const assignMe = useAssignMe();
  const canEdit = may("card:edit") && !card.isGone;
  const { publicId: cardPublicId, dueDate, dueHasTime, completedAt, priority } = card;
  useSingleKeys(canEdit ? { i: () => assignMe(cardPublicId) } : {}, ["card"]);
  return (
    <aside ref={ref} className={styles.side} tabIndex={-1} aria-label={texts.card.properties}>
      <div className={styles.properties}>
        <Picker name={texts.card.people} canEdit={canEdit} shortcut="p" picker={() => <PeoplePicker card={card} />}>
          <People card={card} />
        </Picker>
        <Picker name={texts.card.labels} canEdit={canEdit} shortcut="l" picker={() => <LabelPicker card={card} />}>
          <Labels card={card} />
        </Picker>
        <Picker
          name={texts.card.dueDate}
          canEdit={canEdit}
          shortcut="d"
          picker={(close) => <DatePicker card={card} close={close} />}
        >
          {dueDate === null ? (
            <span className="quiet">{texts.card.noDate}</span>
          ) : (
            <DueChip dueDate={dueDate} dueHasTime={dueHasTime} completedAt={completedAt} />
          )}
        </Picker>
        <Picker
          name={texts.card.priority}
          canEdit={canEdit}
          picker={(close) => (
            <PriorityPicker
              priority={priority}
              choose={(next) => {
                change("card.update", { cardPublicId, priority: next });
                close();
              }}
            />
          )}
        >
          {priority !== "none" && <span className={`prio ${priority}`} aria-hidden="true" />}
          <span className={priority === "none" ? "quiet" : undefined}>{t.card.priorities[priority]}</span>
        </Picker>
      </div>
    </aside>
  );
}

function People({ card }: { card: CardState }) {
  const { meId } = useShownBoard();
  const people = meFirst(card.members, meId);
  return (
    <>
      {people.length === 0 && <span className="quiet">{texts.card.nobody}</span>}
      {people.map(({ publicId, name }) => (
        <span className="who" key={publicId}>
          <Avatar name={name} isMe={publicId === meId} size="s" />
          <span className="truncate" dir="auto">
            {name}
          </span>
        </span>
      ))}
    </>
  );
}

function Labels({ card }: { card: CardState }) {
  const labels = useBoardState((board) => board.labels);
  const own = labels.filter(({ publicId }) => card.labelIds.includes(publicId));
  return (
    <>
      {own.length === 0 && <span className="quiet">{texts.card.noLabels}</span>}
      {own.map((label) => (
        <LabelChip key={label.publicId} of={label} />
      ))}
    </>
  );
}
