import { TextAlignStart } from "lucide";
import type { CardState } from "work-board-client/board";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";

/** The priority of a card, and whether it has a description. */
export const CardMarks = ({ of: { priority, description } }: { of: Pick<CardState, "priority" | "description"> }) => (
  <>
    {priority !== "none" && <span className={`prio ${priority}`} role="img" aria-label={t.card.priorities[priority]} />}
    {description !== "" && (
      <span role="img" aria-label={t.card.hasDescription}>
        <Icon of={TextAlignStart} />
      </span>
    )}
  </>
);
