// The conditions of the filter. Loaded once a board is there.

import { Popover } from "@base-ui/react/popover";
import { type RefObject, useEffect, useRef } from "react";
import * as picker from "../../parts/Picker.module.css";
import { texts } from "../../texts/later.js";
import { type Option, Options, useLabelOptions, usePersonOptions } from "../options.js";
import { useFilter, useSetFilter } from "./context.js";
import * as styles from "./Filter.module.css";
import { DUES, type Kind, NONE, toggled } from "./filter.js";

interface Props {
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

export default function FilterPanel({ button, close }: Props) {
  const isOnButton = ({ target }: Event) => target instanceof Node && button.current?.contains(target) === true;
  return (
    // A press on the button closes by its click.
    <Popover.Root open onOpenChange={(isOpen, { event }) => !isOpen && !isOnButton(event) && close()}>
      <Popover.Portal>
        <Popover.Positioner anchor={button} align="end" sideOffset={4} className="positioner">
          <Popover.Popup
            className={`pop ${picker.picker} ${styles.panel}`}
            aria-label={texts.filter.heading}
            finalFocus={button}
          >
            <TextField />
            <div className={styles.kinds}>
              <People />
              <Labels />
              <Choices kind="due" options={DUE_OPTIONS} />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The address changes when typing pauses: browsers refuse many changes in a row. */
const PAUSE_MS = 120;

function TextField() {
  const filter = useFilter();
  const setFilter = useSetFilter();
  const set = useRef<(text: string) => void>(() => {});
  useEffect(() => {
    set.current = (text) => text !== filter.text && setFilter({ ...filter, text });
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div className={picker.find}>
      <input
        type="search"
        aria-label={texts.filter.find}
        placeholder={texts.filter.find}
        defaultValue={filter.text}
        maxLength={200}
        onChange={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => set.current(value), PAUSE_MS);
        }}
        onBlur={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          set.current(value);
        }}
      />
    </div>
  );
}

const People = () => {
  const nobody = { value: NONE, name: texts.filter.nobody, content: texts.filter.nobody };
  return <Choices kind="person" options={[...usePersonOptions(), nobody]} />;
};

const Labels = () => {
  const none = { value: NONE, name: texts.filter.noLabel, content: texts.filter.noLabel };
  return <Choices kind="label" options={[...useLabelOptions(), none]} />;
};

const DUE_OPTIONS = DUES.map((value) => ({ value, name: texts.filter.dues[value], content: texts.filter.dues[value] }));

/** The conditions of a kind. */
function Choices({ kind, options }: { kind: Kind; options: readonly Option[] }) {
  const filter = useFilter();
  const setFilter = useSetFilter();
  const chosen: readonly string[] = filter[kind];
  return (
    <fieldset>
      <legend className="pop-title">{texts.filter.kinds[kind]}</legend>
      <Options
        find={texts.filter.findIn[kind]}
        options={options}
        isOn={(value) => chosen.includes(value)}
        toggle={(value) => setFilter(toggled(filter, kind, value))}
      />
    </fieldset>
  );
}
