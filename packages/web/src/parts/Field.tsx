import { OctagonAlert } from "lucide";
import { createContext, type InputHTMLAttributes, useContext, useEffect, useId, useRef } from "react";
import { failureOf } from "../client.js";
import { announce } from "./announce.js";
import { Icon } from "./Icon.js";

/** Reads the mistake in the value of each field from what a call threw. */
export const mistakesIn = (error: Error | null) => (field: string) =>
  error === null ? undefined : failureOf(error).at(field);

/** The mistakes of the form around a field, which the field shows by its name. */
export const MistakesContext = createContext(mistakesIn(null));

/** An address. Browsers refuse letters beyond ASCII in a field of the type `email`. */
const ADDRESS = { type: "text", inputMode: "email", autoCapitalize: "none", spellCheck: false } as const;

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, "id"> {
  label: string;
  hint?: string | undefined;
  /** The mistake in the value, by default that of the form around it. */
  error?: string | undefined;
}

/** A text field with its label above, and a hint or an error below. The first one of a form with a mistake takes the focus. */
export function Field({ label, hint, error: ownError, ...input }: Props) {
  const id = useId();
  const mistakeIn = useContext(MistakesContext);
  const error = ownError ?? mistakeIn(input.name ?? "");
  const note = error ?? hint;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = field.current?.form;
    if (error === undefined || form?.querySelector("[aria-invalid=true]") !== field.current) return;
    // Screen readers do not read a field again that has the focus already.
    if (document.activeElement === field.current) announce(error);
    else field.current?.focus();
  }, [error]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        {...(input.type === "email" && ADDRESS)}
        ref={field}
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? "hint" : "error"}>
          {error !== undefined && <Icon of={OctagonAlert} isSmall />}
          <span>{note}</span>
        </p>
      )}
    </div>
  );
}
