import type { CardState } from "work-board-client/board";
import * as picker from "../parts/Picker.module.css";
import { t } from "../texts/index.js";

type Priority = CardState["priority"];
const PRIORITIES: readonly Priority[] = ["urgent", "high", "medium", "low", "none"];

/** Chooses one of the priorities. */
export const PriorityPicker = ({ priority, choose }: { priority: Priority; choose: (priority: Priority) => void }) => (
  <div className={picker.list}>
    {PRIORITIES.map((one) => (
      <button key={one} type="button" className="item" aria-pressed={one === priority} onClick={() => choose(one)}>
        <span className={`prio ${one}`} aria-hidden="true" />
        <span>{t.card.priorities[one]}</span>
      </button>
    ))}
  </div>
);
