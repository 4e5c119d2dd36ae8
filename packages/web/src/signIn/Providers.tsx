import { useMutation } from "@tanstack/react-query";
import { Shield } from "lucide";
import type { RouterOutputs } from "../client.js";
import { Icon } from "../parts/Icon.js";
import { Reason } from "../parts/Reason.js";
import { texts } from "../texts/later.js";
import { signInAt } from "./providerFlow.js";
import * as styles from "./SignIn.module.css";

/** The providers that people may sign in with. */
export function Providers({
  providers,
  hasPassword,
  inviteCode,
}: {
  providers: RouterOutputs["user"]["authMethods"]["oidc"];
  hasPassword: boolean;
  inviteCode: string | undefined;
}) {
  const start = useMutation({ mutationFn: (providerId: string) => signInAt(providerId, inviteCode) });
  return (
    <>
      {hasPassword && providers.length > 0 && <div className={styles.or}>{texts.signIn.or}</div>}
      {providers.map(({ providerId, name }) => (
        <button key={providerId} className="btn l" type="button" onClick={() => start.mutate(providerId)}>
          <Icon of={Shield} />
          <span>{texts.signIn.at(name)}</span>
        </button>
      ))}
      <Reason of={start.error} />
    </>
  );
}
