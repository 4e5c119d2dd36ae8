import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { texts } from "../texts/later.js";
import { Credentials, known, useAttempt } from "./Credentials.js";
import { Providers } from "./Providers.js";
import { signInMethods } from "./queries.js";
import * as styles from "./SignIn.module.css";
import { SignInForm } from "./SignInForm.js";
import { SignInLayout, TryAgainLayout } from "./SignInLayout.js";

/** An invitation that signing in or up accepts. */
interface OpenInvitation {
  code: string;
  heading: string;
  text: string;
}

/** Signs people in or up, at whatever address they came to. */
export default function SignIn({ invitation }: { invitation?: OpenInvitation }) {
  const query = useQuery(signInMethods);
  const methods = query.data;
  const [choice, setNew] = useState<boolean | null>(null);
  const isOpen = methods?.signUp === "open" || (invitation !== undefined && methods?.signUp === "invited");
  const canSignUp = methods?.password === true && isOpen;
  // Links into the page come from people who use it.
  const isFirst = known.get() === null && (invitation !== undefined || location.pathname === "/");
  const isNew = canSignUp && (choice ?? isFirst);
  const attempt = useAttempt(isNew, invitation?.code);
  const turnTo = (next: boolean) => {
    setNew(next);
    attempt.reset();
  };
  if (methods === undefined) return query.error ? <TryAgainLayout of={query} /> : <SignInLayout>{null}</SignInLayout>;
  const action = isNew ? texts.signIn.signUp : texts.signIn.signIn;
  const heading = invitation?.heading ?? action;
  const aside = methods.password && (
    <div className={`${styles.form} ${styles.aside}`}>
      {canSignUp && (
        <p>
          <span>{`${isNew ? texts.signIn.isKnown : texts.signIn.isNew} `}</span>
          <button className="link" type="button" onClick={() => turnTo(!isNew)}>
            {isNew ? texts.signIn.signIn : texts.signIn.signUp}
          </button>
        </p>
      )}
      {canSignUp && invitation === undefined && <p className="hint">{texts.signIn.newHint}</p>}
      {!isNew && (
        <p>
          <Link className="link" href="/account/reset">
            {texts.signIn.forgotten}
          </Link>
        </p>
      )}
    </div>
  );
  return (
    <SignInForm heading={heading} send={attempt.send} aside={aside}>
      {invitation !== undefined && <p>{invitation.text}</p>}
      {methods.password && <Credentials attempt={attempt} isNew={isNew} hasFocus />}
      <Providers providers={methods.oidc} hasPassword={methods.password} inviteCode={invitation?.code} />
    </SignInForm>
  );
}
