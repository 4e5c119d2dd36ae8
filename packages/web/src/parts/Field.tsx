import { OctagonAlert } from "lucide-react";
import { type InputHTMLAttributes, useId } from "react";
import { Icon } from "./Icon.js";

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, "id"> {
  label: string;
  hint?: string | undefined;
  /** The mistake in the value. */
  error?: string | undefined;
}

/** A text field with its label above, and a hint or an error below. */
export function Field({ label, hint, error, ...input }: Props) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? "hint" : "error"}>
          {error !== undefined && <Icon of={OctagonAlert} isSmall />}
          {note}
        </p>
      )}
    </div>
  );
}
