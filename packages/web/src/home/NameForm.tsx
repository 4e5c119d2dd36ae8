import type { UseMutationResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { failureOf } from "../client.js";
import { Button } from "../parts/Button.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { onSubmit } from "../parts/onSubmit.js";
import { texts } from "../texts/later.js";
import * as styles from "./Home.module.css";

interface Props {
  className: string;
  /** The label of the field. */
  label: string;
  /** The name of the button, if its text does not say which thing it makes. */
  name?: string;
  create: UseMutationResult<unknown, Error, string>;
  children: ReactNode;
}

/** A button that becomes a field for the name of a new thing. */
export function NameForm({ className, label, name, create, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const submit = onSubmit((values) => {
    const text = String(values.get("name")).trim();
    if (text !== "") create.mutate(text, { onSuccess: () => setOpen(false) });
  });
  if (!isOpen) {
    return (
      <button className={className} type="button" aria-label={name} onClick={() => setOpen(true)}>
        {children}
      </button>
    );
  }
  return (
    <form
      className={styles.tile}
      onSubmit={submit}
      onKeyDown={({ key }) => {
        if (key === "Escape") setOpen(false);
      }}
    >
      <Field
        label={label}
        name="name"
        maxLength={NAME_MAX}
        autoFocus
        required
        autoComplete="off"
        error={create.error === null ? undefined : failureOf(create.error).text}
      />
      <span className={styles.row}>
        <Button className="btn primary s" type="submit" isOff={create.isPending}>
          {texts.home.create}
        </Button>
        <button className="btn plain s" type="button" onClick={() => setOpen(false)}>
          {texts.home.cancel}
        </button>
      </span>
    </form>
  );
}
