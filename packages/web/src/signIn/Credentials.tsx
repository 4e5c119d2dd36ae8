// The fields with which people sign in or up, and the outcome of the last try.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Failure, failureOf } from "../client.js";
import { Button } from "../parts/Button.js";
import { Field } from "../parts/Field.js";
import { stored } from "../stored.js";
import { texts } from "../texts/later.js";
import { CodeField } from "./CodeField.js";
import { signIn, signUp } from "./signingIn.js";

/** Whether somebody has signed in with this browser: then it offers to sign in, else to sign up. */
export const known = stored("work-board.known");

const FIELDS = ["name", "email", "password", "code"] as const;
type Errors = Partial<Record<(typeof FIELDS)[number] | "form", string | undefined>>;

/** The failure of a sign-in as the form shows it: by field, or as a whole. */
function errorsOf(failure: Failure, hasCode: boolean): Errors {
  // Without a code, the service asks for one; that is no mistake.
  if (failure.code === "UNAUTHORIZED") {
    if (failure.at("code") === undefined) return { form: texts.signIn.wrong };
    return hasCode ? { code: texts.signIn.wrongCode } : {};
  }
  const errors: Errors = Object.fromEntries(FIELDS.map((field) => [field, failure.at(field)]));
  return FIELDS.some((field) => errors[field] !== undefined) ? errors : { form: failure.text };
}

/** The state of the sign-in form. */
export interface Attempt {
  send(form: FormData): void;
  reset(): void;
  errors: Errors;
  asksForCode: boolean;
  isPending: boolean;
}

/** Signs in, or up if the person is new; with an invitation by its code. */
export function useAttempt(isNew: boolean, inviteCode?: string): Attempt {
  const attempt = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? "");
      const [email, password, code] = [text("email"), text("password"), text("code")];
      if (isNew) await signUp({ name: text("name"), email, password }, inviteCode);
      else await signIn({ email, password, ...(code !== "" && { code }) }, inviteCode);
      known.set("true");
    },
  });
  const failure = attempt.error === null ? null : failureOf(attempt.error);
  const [asksForCode, askForCode] = useState(false);
  if (!asksForCode && !isNew && failure?.at("code") !== undefined) askForCode(true);
  return {
    send: attempt.mutate,
    reset() {
      askForCode(false);
      attempt.reset();
    },
    errors: failure === null ? {} : errorsOf(failure, attempt.variables?.get("code") != null),
    asksForCode,
    isPending: attempt.isPending,
  };
}

interface Props {
  attempt: Attempt;
  isNew: boolean;
  /** Whether the first field takes the focus. */
  hasFocus?: boolean;
  /** The address that the field has at first. */
  email?: string | undefined;
}

/** The fields, and the button below them. */
export function Credentials({ attempt: { errors, asksForCode, isPending }, isNew, hasFocus = false, email }: Props) {
  return (
    <>
      {isNew && (
        <Field
          label={texts.signIn.name}
          name="name"
          autoComplete="name"
          autoFocus={hasFocus}
          required
          error={errors.name}
        />
      )}
      <Field
        label={texts.signIn.email}
        name="email"
        type="email"
        defaultValue={email}
        autoFocus={hasFocus && !isNew}
        autoComplete="username"
        required
        error={errors.email}
      />
      <Field
        label={texts.signIn.password}
        name="password"
        type="password"
        autoComplete={isNew ? "new-password" : "current-password"}
        hint={isNew ? texts.signIn.passwordHint : undefined}
        required
        error={errors.password}
      />
      {asksForCode && <CodeField autoFocus error={errors.code} />}
      {errors.form !== undefined && (
        <p className="error" role="alert">
          {errors.form}
        </p>
      )}
      <Button className="btn primary l" type="submit" aria-busy={isPending} isOff={isPending}>
        {isNew ? texts.signIn.signUp : texts.signIn.signIn}
      </Button>
    </>
  );
}
