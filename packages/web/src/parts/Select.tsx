import { CSPProvider } from "@base-ui/react/csp-provider";
import { Select as Base } from "@base-ui/react/select";
import { Check } from "lucide";
import { useRef } from "react";
import { Icon } from "./Icon.js";

interface Props<Value extends string> {
  /** The name of the field; it stands in no label of its own. */
  name: string;
  className?: string;
  /** The value, or the text that invites to choose one. */
  children: string;
  value: Value | null;
  options: readonly (readonly [Value, string])[];
  /** Is called once the list has closed, and the focus is back on the select. */
  choose: (value: Value) => void;
}

/**
 * One of a few values that is set as soon as it is chosen. A native select would set each one that an arrow key or a letter passes;
 * here they only walk through the list, until Enter or a click takes an option.
 */
export function Select<Value extends string>({ name, className = "", children, value, options, choose }: Props<Value>) {
  const taken = useRef<Value | null>(null);
  const place = useRef<HTMLSpanElement>(null);
  return (
    // The policy of the page allows no style elements.
    <CSPProvider disableStyleElements>
      <Base.Root<Value>
        modal={false}
        value={value}
        onValueChange={(next, details) => {
          // A letter on the closed select would set the first match.
          if (details.reason !== "item-press") details.cancel();
          else if (next !== value) taken.current = next;
        }}
        onOpenChangeComplete={() => {
          const chosen = taken.current;
          taken.current = null;
          if (chosen !== null) choose(chosen);
        }}
      >
        <Base.Trigger className={`input s select ${className}`} aria-label={name}>
          <span className="truncate" dir="auto">
            {children}
          </span>
        </Base.Trigger>
        {/* The list belongs to the dialog or the main part of the page in which the select stands. */}
        <span ref={place} className="options-place" />
        <Base.Portal container={place}>
          <Base.Positioner
            alignItemWithTrigger={false}
            positionMethod="fixed"
            sideOffset={4}
            align="start"
            className="positioner"
          >
            <Base.Popup className="pop options">
              {options.map(([option, text]) => (
                <Base.Item
                  key={option}
                  value={option}
                  label={text}
                  className={({ highlighted }) => (highlighted ? "item is-on" : "item")}
                >
                  <Base.ItemText className="truncate" dir="auto">
                    {text}
                  </Base.ItemText>
                  <Base.ItemIndicator className="tick">
                    <Icon of={Check} />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  );
}
