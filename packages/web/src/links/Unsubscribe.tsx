import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Submit } from "../parts/Submit.js";
import { Done, SignInForm } from "../signIn/SignInForm.js";
import { texts } from "../texts/later.js";

/** Stops the mail about notifications. */
export function Unsubscribe({ token }: { token: string }) {
  const text = texts.links.unsubscribe;
  const unsubscribe = useMutation({ mutationFn: () => client.user.unsubscribe.mutate({ token }) });
  if (unsubscribe.isSuccess) return <Done heading={text.done} text={text.doneText} next={texts.links.goOn} />;
  return (
    <SignInForm heading={text.heading} send={() => unsubscribe.mutate()}>
      <p>{text.text}</p>
      <Submit of={unsubscribe}>{text.unsubscribe}</Submit>
    </SignInForm>
  );
}
