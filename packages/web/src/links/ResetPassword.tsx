import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../client.js";
import { Field, mistakesIn } from "../parts/Field.js";
import { Submit } from "../parts/Submit.js";
import { CodeField } from "../signIn/CodeField.js";
import { Done, SignInForm } from "../signIn/SignInForm.js";
import { texts } from "../texts/later.js";

/** Sets a new password, with a code where the account has a second factor. */
export function ResetPassword({ token }: { token: string }) {
  const text = texts.links.reset;
  const reset = useMutation({
    mutationFn: ({ password, code }: { password: string; code: string | null }) =>
      client.user.resetPassword.mutate({ token, password, ...(code !== null && { code }) }),
  });
  const mistakeIn = mistakesIn(reset.error);
  const isAboutCode = mistakeIn("code") !== undefined;
  const [asksForCode, askForCode] = useState(false);
  if (isAboutCode && !asksForCode) askForCode(true);
  if (reset.isSuccess) return <Done heading={text.done} text={text.doneText} next={texts.links.signIn} />;
  const send = (form: FormData) => {
    const code = form.get("code");
    reset.mutate({ password: String(form.get("password")), code: code === null ? null : String(code) });
  };
  const wrongCode = isAboutCode && reset.variables?.code != null ? texts.signIn.wrongCode : undefined;
  return (
    <SignInForm heading={text.heading} send={send}>
      <Field
        label={text.password}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={texts.signIn.passwordHint}
        required
        error={mistakeIn("password")}
      />
      {asksForCode && <CodeField autoFocus error={wrongCode} />}
      <Submit of={reset} isShown={isAboutCode || mistakeIn("password") !== undefined}>
        {text.set}
      </Submit>
    </SignInForm>
  );
}
