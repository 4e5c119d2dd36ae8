import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { Field, mistakesIn } from "../parts/Field.js";
import { Submit } from "../parts/Submit.js";
import { signInMethods } from "../signIn/queries.js";
import { Done, SignInForm } from "../signIn/SignInForm.js";
import { texts } from "../texts/later.js";

/** Asks for a link to set a new password. */
export function RequestReset() {
  const text = texts.links.request;
  const methods = useQuery(signInMethods).data;
  const request = useMutation({ mutationFn: (email: string) => client.user.requestPasswordReset.mutate({ email }) });
  const wrong = mistakesIn(request.error)("email");
  if (request.isSuccess) return <Done heading={text.sent} text={text.sentText} next={texts.signIn.backToSignIn} />;
  if (methods?.passwordReset === false) {
    return <Done heading={text.heading} text={text.noMail} next={texts.signIn.backToSignIn} />;
  }
  return (
    <SignInForm heading={text.heading} send={(form) => request.mutate(String(form.get("email")))}>
      <p>{text.text}</p>
      <Field label={texts.signIn.email} name="email" type="email" autoComplete="username" required error={wrong} />
      <Submit of={request} isShown={wrong !== undefined}>
        {text.send}
      </Submit>
    </SignInForm>
  );
}
