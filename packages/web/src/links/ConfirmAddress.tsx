import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Submit } from "../parts/Submit.js";
import { Done, SignInForm } from "../signIn/SignInForm.js";
import { texts } from "../texts/later.js";

/** Confirms an address, or restores the one that was replaced. */
export function ConfirmAddress({ token }: { token: string }) {
  const text = texts.links.confirm;
  const confirm = useMutation({ mutationFn: () => client.user.confirmEmail.mutate({ token }) });
  if (confirm.isSuccess) {
    return <Done heading={text.done} text={text.doneText(confirm.data.email)} next={texts.links.goOn} />;
  }
  return (
    <SignInForm heading={text.heading} send={() => confirm.mutate()}>
      <p>{text.text}</p>
      <Submit of={confirm}>{text.confirm}</Submit>
    </SignInForm>
  );
}
