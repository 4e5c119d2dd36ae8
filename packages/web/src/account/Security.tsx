import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Field } from "../parts/Field.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { accountChanged } from "../session/session.js";
import { texts } from "../texts/later.js";
import { CurrentPassword, passwordIn } from "./CurrentPassword.js";
import { Identities } from "./Identities.js";
import { useOwn } from "./own.js";
import { readAgain, sessions } from "./queries.js";
import { Sessions } from "./Sessions.js";
import { TwoFactor } from "./TwoFactor.js";

/** The ways in which the reader signs in, and their sessions. */
export function Security() {
  const { methods } = useOwn();
  return (
    <>
      {methods.password && <Password />}
      {methods.twoFactor && <TwoFactor />}
      {methods.oidc.length > 0 && <Identities />}
      <Sessions />
    </>
  );
}

const passwordsIn = (form: FormData) => ({ newPassword: String(form.get("newPassword")), ...passwordIn(form) });

function Password() {
  const text = texts.account.security;
  const { user } = useOwn();
  const change = useMutation({
    mutationFn: (fields: ReturnType<typeof passwordsIn>) => client.user.changePassword.mutate(fields),
    onSuccess: () => Promise.all([accountChanged(), readAgain(sessions)]),
  });
  return (
    <Section heading={text.password}>
      <SaveForm read={passwordsIn} save={change} action={user.hasPassword ? text.changePassword : text.setPassword}>
        <CurrentPassword />
        <Field
          label={text.newPassword}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          required
          hint={`${texts.signIn.passwordHint} ${text.passwordEnds}`}
        />
      </SaveForm>
    </Section>
  );
}
