// The conditions of the filter, and the number of cards that it shows. Loaded with the first filter.

import { Calendar, type IconNode, Search, Tag, User, X } from "lucide";
import { useMemo } from "react";
import { Icon } from "../../parts/Icon.js";
import { texts } from "../../texts/later.js";
import { usePeople } from "../assignable.js";
import * as bar from "../Bar.module.css";
import { useBoardState, useShownBoard } from "../context.js";
import { useFilter, useSetFilter, useShownIds } from "./context.js";
import * as styles from "./Filter.module.css";
import { countOf, EVERYTHING, type Filter, NONE } from "./filter.js";
import { useSpokenCount } from "./spokenCount.js";

const ICONS: Record<keyof Filter, IconNode> = { label: Tag, person: User, due: Calendar, text: Search };

/** The values of each kind in words; those of a kind that is not filtered by are empty. */
function useWords(): Record<keyof Filter, string> {
  const { meId } = useShownBoard();
  const labels = useBoardState((board) => board.labels);
  const people = usePeople();
  const { label, person, due, text } = useFilter();
  const nameOf = (id: string, all: readonly { publicId: string; name: string }[], none: string) =>
    id === NONE ? none : (all.find(({ publicId }) => publicId === id)?.name ?? texts.filter.unknown);
  const nameOfPerson = (id: string) => (id === meId ? texts.filter.you : nameOf(id, people, texts.filter.nobody));
  return {
    person: person.map(nameOfPerson).join(", "),
    label: label.map((id) => nameOf(id, labels, texts.filter.noLabel)).join(", "),
    due: due.map((one) => texts.filter.dues[one]).join(", "),
    text: text.trim(),
  };
}

/** The conditions of the filter, each of which can be removed. */
export default function ActiveFilters() {
  const filter = useFilter();
  const setFilter = useSetFilter();
  const words = useWords();
  useSpokenCount();
  if (countOf(filter) === 0) return null;
  return (
    <section className={`${bar.bar} ${styles.filters}`} aria-label={texts.filter.filters}>
      {Object.entries(words).map(([name, text]) => {
        const kind = name as keyof Filter;
        return text === "" ? null : (
          <span key={kind} className={styles.filter}>
            <span>
              <Icon of={ICONS[kind]} isSmall />
              <span>{texts.filter.kinds[kind]}</span>
            </span>
            <span className="truncate" dir="auto">
              {text}
            </span>
            <button
              type="button"
              aria-label={texts.filter.remove[kind]}
              onClick={() => setFilter({ ...filter, [kind]: EVERYTHING[kind] })}
            >
              <Icon of={X} isSmall />
            </button>
          </span>
        );
      })}
      <button type="button" className="btn plain s" onClick={() => setFilter(EVERYTHING)}>
        {texts.filter.clear}
      </button>
      <span className="grow" />
      <Count />
    </section>
  );
}

function Count() {
  const lists = useBoardState((board) => board.lists);
  const all = useMemo(() => lists.flatMap(({ cardIds }) => cardIds), [lists]);
  const shown = useShownIds(all).length;
  return (
    <span className="count" role="status" aria-live="off" aria-label={texts.filter.cards}>
      {texts.filter.count(shown, all.length)}
    </span>
  );
}
