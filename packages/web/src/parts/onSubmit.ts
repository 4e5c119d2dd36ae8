import type { FormEvent } from "react";

/** Handles the submission of a form by its values. */
export const onSubmit =
  (send: (values: FormData, form: HTMLFormElement) => void) => (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    send(new FormData(event.currentTarget), event.currentTarget);
  };
