import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type Failure, failureOf } from "../client.js";
import { Field } from "../parts/Field.js";
import { signIn, signInMethods, signUp } from "../queries.js";
import { stored } from "../stored.js";
import { t } from "../texts/index.js";
import { CodeField } from "./CodeField.js";
import { Providers } from "./Providers.js";
import { Sheet } from "./Sheet.js";
import { Task } from "./Task.js";

/** Whether somebody has signed in with this browser: then it offers to sign in, else to sign up. */
const known = stored("work-board.known");

const FIELDS = ["name", "email", "password", "code"] as const;
type Errors = Partial<Record<(typeof FIELDS)[number] | "form", string | undefined>>;

/** The failure of a sign-in as the form shows it: by field, or as a whole. */
function errorsOf(failure: Failure, hasCode: boolean): Errors {
  // Without a code, the service asks for one; that is no mistake.
  if (failure.code === "UNAUTHORIZED") {
    if (failure.at("code") === undefined) return { form: t.signIn.wrong };
    return hasCode ? { code: t.signIn.wrongCode } : {};
  }
  const errors: Errors = Object.fromEntries(FIELDS.map((field) => [field, failure.at(field)]));
  return FIELDS.some((field) => errors[field] !== undefined) ? errors : { form: failure.text };
}

/** An invitation that signing in or up accepts. */
export interface OpenInvitation {
  code: string;
  heading: string;
  text: string;
}

/** Signs people in or up, at whatever address they came to. */
export function SignIn({ invitation }: { invitation?: OpenInvitation }) {
  const methods = useQuery(signInMethods).data;
  const [choice, setNew] = useState<boolean | null>(null);
  const isOpen = methods?.signUp === "open" || (invitation !== undefined && methods?.signUp === "invited");
  const canSignUp = methods?.password === true && isOpen;
  const isNew = canSignUp && (choice ?? known.get() === null);
  const attempt = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? "");
      const [email, password, code] = [text("email"), text("password"), text("code")];
      if (isNew) await signUp({ name: text("name"), email, password }, invitation?.code);
      else await signIn({ email, password, ...(code !== "" && { code }) }, invitation?.code);
      known.set("true");
    },
  });
  const failure = attempt.error === null ? null : failureOf(attempt.error);
  const [asksForCode, askForCode] = useState(false);
  const errors = failure === null ? {} : errorsOf(failure, attempt.variables?.get("code") != null);
  if (!asksForCode && !isNew && failure?.at("code") !== undefined) askForCode(true);
  const turnTo = (next: boolean) => {
    setNew(next);
    askForCode(false);
    attempt.reset();
  };
  if (methods === undefined) return <Sheet>{null}</Sheet>;
  const action = isNew ? t.signIn.signUp : t.signIn.signIn;
  const heading = invitation?.heading ?? action;
  const aside = methods.password && (
    <div className="form aside">
      {canSignUp && (
        <p>
          {isNew ? t.signIn.isKnown : t.signIn.isNew}{" "}
          <button className="link" type="button" onClick={() => turnTo(!isNew)}>
            {isNew ? t.signIn.signIn : t.signIn.signUp}
          </button>
        </p>
      )}
      {canSignUp && invitation === undefined && <p className="hint">{t.signIn.newHint}</p>}
      {!isNew && (
        <p>
          <Link className="link" href="/account/reset">
            {t.signIn.forgotten}
          </Link>
        </p>
      )}
    </div>
  );
  return (
    <Task heading={heading} send={(form) => attempt.mutate(form)} aside={aside}>
      {invitation !== undefined && <p>{invitation.text}</p>}
      {methods.password && (
        <>
          {isNew && <Field label={t.signIn.name} name="name" autoComplete="name" required error={errors.name} />}
          <Field
            label={t.signIn.email}
            name="email"
            type="email"
            autoComplete="username"
            required
            error={errors.email}
          />
          <Field
            label={t.signIn.password}
            name="password"
            type="password"
            autoComplete={isNew ? "new-password" : "current-password"}
            hint={isNew ? t.signIn.passwordHint : undefined}
            required
            error={errors.password}
          />
          {asksForCode && <CodeField error={errors.code} />}
          {errors.form !== undefined && (
            <p className="error" role="alert">
              {errors.form}
            </p>
          )}
          <button className="btn primary l" type="submit" aria-busy={attempt.isPending} disabled={attempt.isPending}>
            {action}
          </button>
        </>
      )}
      <Providers providers={methods.oidc} hasPassword={methods.password} inviteCode={invitation?.code} />
    </Task>
  );
}
