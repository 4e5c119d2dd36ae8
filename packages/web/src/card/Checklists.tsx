import { Plus } from "lucide";
import { useState } from "react";
import { useBoardState, useShownBoard } from "../board/context.js";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import { Checklist, keyOf } from "./Checklist.js";

/** The checklists of an open card. A new one has a name that can be edited, and the focus in the field for its first item. */
export function Checklists({ cardPublicId }: { cardPublicId: string }) {
  const { followed, may } = useShownBoard();
  const checklists = useBoardState((board) => board.cards[cardPublicId]?.details?.checklists);
  const isGone = useBoardState((board) => board.cards[cardPublicId]?.isGone);
  const [composed, setComposed] = useState<string | null>(null);
  if (checklists === undefined) return null;
  const canEdit = may("card:edit") && isGone === false;
  const add = () => {
    void followed.change("card.checklists.create", { cardPublicId, name: texts.checklists.name }).catch(() => {});
    const made = followed.state().board?.cards[cardPublicId]?.details?.checklists.at(-1);
    if (made !== undefined) setComposed(keyOf(made));
  };
  return (
    <>
      {checklists.map((checklist) => (
        <Checklist
          key={keyOf(checklist)}
          checklist={checklist}
          canEdit={canEdit}
          isComposing={composed === keyOf(checklist)}
          compose={(isComposing) => setComposed(isComposing ? keyOf(checklist) : null)}
        />
      ))}
      {canEdit && (
        <button type="button" className={`add ${styles.block}`} onClick={add}>
          <Icon of={Plus} />
          <span>{texts.checklists.add}</span>
        </button>
      )}
    </>
  );
}
