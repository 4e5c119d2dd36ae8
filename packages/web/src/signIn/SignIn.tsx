import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { type Failure, failureOf } from "../client.js";
import { Field } from "../parts/Field.js";
import { signIn, signInMethods, signUp } from "../queries.js";
import { stored } from "../stored.js";
import { t } from "../texts/index.js";
import { Providers } from "./Providers.js";
import { Sheet } from "./Sheet.js";

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

/** Signs people in or up, at whatever address they came to. */
export function SignIn() {
  const methods = useQuery(signInMethods).data;
  const [, navigate] = useLocation();
  const [choice, setNew] = useState<boolean | null>(null);
  const canSignUp = methods?.password === true && methods.signUp === "open";
  const isNew = canSignUp && (choice ?? known.get() === null);
  const attempt = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? "");
      const [email, password, code] = [text("email"), text("password"), text("code")];
      if (isNew) {
        const first = await signUp({ name: text("name"), email, password });
        // Who came to a certain address stays there.
        if (location.pathname === "/") navigate(first, { replace: true });
      } else {
        await signIn({ email, password, ...(code !== "" && { code }) });
      }
      known.set("true");
    },
  });
  const failure = attempt.error === null ? null : failureOf(attempt.error);
  const [asksForCode, askForCode] = useState(false);
  const errors = failure === null ? {} : errorsOf(failure, attempt.variables?.get("code") != null);
  if (!asksForCode && !isNew && failure?.at("code") !== undefined) askForCode(true);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    attempt.mutate(new FormData(event.currentTarget));
  };
  const turnTo = (next: boolean) => {
    setNew(next);
    askForCode(false);
    attempt.reset();
  };
  if (methods === undefined) return <Sheet>{null}</Sheet>;
  const heading = isNew ? t.signIn.signUp : t.signIn.signIn;
  return (
    <Sheet>
      <title>{t.title(heading)}</title>
      <form className="form" aria-labelledby="heading" onSubmit={submit}>
        <h1 id="heading">{heading}</h1>
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
            {asksForCode && (
              <Field
                label={t.signIn.code}
                name="code"
                inputMode="numeric"
                autoComplete="one-time-code"
                hint={t.signIn.codeHint}
                required
                autoFocus
                error={errors.code}
              />
            )}
            {errors.form !== undefined && (
              <p className="error" role="alert">
                {errors.form}
              </p>
            )}
            <button className="btn primary l" type="submit" aria-busy={attempt.isPending} disabled={attempt.isPending}>
              {heading}
            </button>
          </>
        )}
        <Providers providers={methods.oidc} hasPassword={methods.password} />
      </form>
      {canSignUp && (
        <div className="form aside">
          <p>
            {isNew ? t.signIn.isKnown : t.signIn.isNew}{" "}
            <button className="link" type="button" onClick={() => turnTo(!isNew)}>
              {isNew ? t.signIn.signIn : t.signIn.signUp}
            </button>
          </p>
          <p className="hint">{t.signIn.newHint}</p>
        </div>
      )}
    </Sheet>
  );
}
