import { ListFilter } from "lucide";
import { useEffect, useRef, useState } from "react";
import { useSingleKeys } from "../../keys/singleKeys.js";
import { Icon } from "../../parts/Icon.js";
import { lazyComponent, preloadAfterPaint } from "../../parts/lazyComponent.js";
import { t } from "../../texts/index.js";
import { useShownBoard } from "../context.js";
import { useFilter, useSetFilter } from "./context.js";
import { countOf } from "./filter.js";

const FilterPanel = lazyComponent(() => import("./FilterPanel.js"));

/** Opens the conditions of the filter, also by its keys. */
export function FilterButton() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { meId } = useShownBoard();
  const filter = useFilter();
  const setFilter = useSetFilter();
  const count = countOf(filter);
  const open = () => setOpen(true);
  const showMine = () => {
    const isMine = filter.person.length === 1 && filter.person[0] === meId;
    if (meId !== undefined) setFilter({ ...filter, person: isMine ? [] : [meId] });
  };
  useSingleKeys({ f: open, "/": open, q: showMine });
  useEffect(() => preloadAfterPaint(FilterPanel), []);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn plain"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ListFilter} />
        <span className="word">{t.filter.filter}</span>
        {count > 0 && (
          <span className="count unread" role="img" aria-label={t.filter.active(count)}>
            {count}
          </span>
        )}
      </button>
      {isOpen && <FilterPanel button={button} close={() => setOpen(false)} />}
    </>
  );
}
