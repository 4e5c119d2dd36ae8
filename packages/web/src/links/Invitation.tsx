import { useMutation, useQuery } from "@tanstack/react-query";
import { failureOf, type User } from "../client.js";
import { Submit } from "../parts/Submit.js";
import { signOut } from "../session/session.js";
import SignIn from "../signIn/SignIn.js";
import { Done, SignInForm } from "../signIn/SignInForm.js";
import { TryAgainLayout } from "../signIn/SignInLayout.js";
import { joinBy } from "../signIn/signingIn.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { invitation } from "./queries.js";

/** An invitation to a workspace: strangers sign in or up to join, everybody else joins with their account. */
export default function Invitation({ code, user }: { code: string; user: User | null }) {
  const text = texts.invitation;
  const query = useQuery(invitation(code));
  const { data: found, error } = query;
  const join = useMutation({ mutationFn: () => joinBy(code) });
  if (error) {
    const failure = failureOf(error);
    if (failure.code === null) return <TryAgainLayout of={query} />;
    const reason = failure.code === "NOT_FOUND" ? text.ended : failure.text;
    return <Done heading={text.unusable} text={reason} next={t.notFound.home} />;
  }
  if (found === undefined) return null;
  const heading = text.join(found.workspaceName);
  if (user === null) return <SignIn invitation={{ code, heading, text: text.text[found.role] }} />;
  return (
    <SignInForm heading={heading} send={() => join.mutate()}>
      <p>{`${text.text[found.role]} ${text.as(user.name)}`}</p>
      <Submit of={join}>{text.accept}</Submit>
      <button className="btn l" type="button" onClick={() => void signOut()}>
        {text.other}
      </button>
    </SignInForm>
  );
}
