import type { UseMutationResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { texts } from "../texts/later.js";
import { MistakesContext, mistakesIn } from "./Field.js";
import { onSubmit } from "./onSubmit.js";
import { Submit } from "./Submit.js";

interface Props<Values> {
  /** Reads the form, by the names of its fields. */
  read: (form: FormData) => Values;
  save: UseMutationResult<unknown, Error, Values>;
  /** The button of a form that does something, and is empty afterwards; left out if it keeps the values that it saves. */
  action?: string;
  children: ReactNode;
}

/** A form of settings: it is saved by its button, and says that it was. */
export function SaveForm<Values>({ read, save, action, children }: Props<Values>) {
  /** The names of the fields that show a mistake in their value. */
  const [fields, setFields] = useState<readonly string[]>([]);
  const submit = onSubmit((values, form) => {
    setFields([...form.querySelectorAll<HTMLInputElement>("[aria-invalid]")].map(({ name }) => name));
    save.mutate(read(values), { onSuccess: () => action !== undefined && form.reset() });
  });
  const mistakeIn = mistakesIn(save.error);
  return (
    <form className="rows panel-form" onSubmit={submit} onChange={() => save.status !== "pending" && save.reset()}>
      <MistakesContext value={mistakeIn}>{children}</MistakesContext>
      <div className="saved">
        <Submit of={save} isShown={fields.some(mistakeIn)} className="btn primary">
          {action ?? texts.save}
        </Submit>
        <span className="hint" role="status">
          {save.isSuccess && texts.saved}
        </span>
      </div>
    </form>
  );
}
