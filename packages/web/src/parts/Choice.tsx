import type { ComponentProps } from "react";

interface Props<Value extends string> extends Omit<ComponentProps<"select">, "value" | "onChange"> {
  /** The name of the field; it stands in no label of its own. */
  name: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  choose: (value: Value) => void;
}

/** One of a few values. */
export function Choice<Value extends string>({ name, value, options, choose, className, ...select }: Props<Value>) {
  return (
    <select
      {...select}
      className={className ?? "input s"}
      aria-label={name}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = options.find(([option]) => option === currentTarget.value);
        if (chosen !== undefined) choose(chosen[0]);
      }}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}
