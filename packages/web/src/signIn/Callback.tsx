import { useQuery } from "@tanstack/react-query";
import { failureOf } from "../client.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { finishSignIn } from "./providerFlow.js";
import * as styles from "./SignIn.module.css";
import { SignInLayout } from "./SignInLayout.js";

/** The page to which a provider sends people back. It leads on to the address at which they began. */
export default function Callback() {
  const { error } = useQuery(finishSignIn);
  return (
    <SignInLayout>
      <title>{t.title(texts.signIn.signIn)}</title>
      <div className={styles.form}>
        <h1>{texts.signIn.signIn}</h1>
        {error === null ? <p role="status">{texts.signIn.atProvider}</p> : <p role="alert">{failureOf(error).text}</p>}
        {error !== null && (
          <a className="btn l" href="/">
            {texts.signIn.backToSignIn}
          </a>
        )}
      </div>
    </SignInLayout>
  );
}
