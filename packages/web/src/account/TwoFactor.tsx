import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client, type RouterOutputs } from "../client.js";
import { CopyButton } from "../parts/CopyButton.js";
import { OneTime } from "../parts/OneTime.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { accountChanged } from "../session/session.js";
import { CodeField } from "../signIn/CodeField.js";
import { texts } from "../texts/later.js";
import * as styles from "./Account.module.css";
import { CurrentPassword, passwordIn } from "./CurrentPassword.js";
import { useOwn } from "./own.js";
import { readAgain, sessions } from "./queries.js";

const codeIn = (form: FormData) => ({ code: String(form.get("code")) });
const proofIn = (form: FormData) => ({ ...codeIn(form), ...passwordIn(form) });

/** Codes of an authenticator besides the password. */
export function TwoFactor() {
  const text = texts.account.twoFactor;
  const { user } = useOwn();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Section heading={text.heading} count={user.hasTwoFactor ? text.on : text.off}>
      <div className="stack-8">
        {codes !== null && <RecoveryCodes codes={codes} />}
        {user.hasTwoFactor ? <SwitchedOn show={setCodes} /> : <SetUp show={setCodes} />}
      </div>
    </Section>
  );
}

/** The codes that replace the authenticator, which are shown once. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = texts.account.twoFactor;
  return (
    <OneTime text={text.codesText} secret={codes.join("\n")} copy={text.copyCodes}>
      <ul className={styles.codes} aria-label={text.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </OneTime>
  );
}

function SetUp({ show }: { show: (codes: readonly string[]) => void }) {
  const text = texts.account.twoFactor;
  const [secret, setSecret] = useState<RouterOutputs["user"]["twoFactor"]["begin"] | null>(null);
  const begin = useMutation({
    mutationFn: (fields: ReturnType<typeof passwordIn>) => client.user.twoFactor.begin.mutate(fields),
    onSuccess: setSecret,
  });
  const confirm = useMutation({
    mutationFn: (fields: ReturnType<typeof codeIn>) => client.user.twoFactor.confirm.mutate(fields),
    onSuccess: ({ recoveryCodes }) => {
      show(recoveryCodes);
      return Promise.all([accountChanged(), readAgain(sessions)]);
    },
  });
  if (secret === null) {
    return (
      <SaveForm key="begin" read={passwordIn} save={begin} action={text.setUp}>
        <p>{text.text}</p>
        <CurrentPassword />
      </SaveForm>
    );
  }
  return (
    <SaveForm key="confirm" read={codeIn} save={confirm} action={text.switchOn}>
      <p>{text.secretText}</p>
      <div className="line-of-tools">
        <code className="secret">{secret.secret}</code>
        <CopyButton text={secret.secret} name={text.copySecret}>
          {texts.share.copy}
        </CopyButton>
        <a className="link" href={secret.otpauthUrl}>
          {text.openApp}
        </a>
      </div>
      <CodeField hint={text.codeHint} />
    </SaveForm>
  );
}

function SwitchedOn({ show }: { show: (codes: readonly string[] | null) => void }) {
  const text = texts.account.twoFactor;
  const renew = useMutation({
    mutationFn: (fields: ReturnType<typeof codeIn>) => client.user.twoFactor.recoveryCodes.mutate(fields),
    onSuccess: ({ recoveryCodes }) => show(recoveryCodes),
  });
  const disable = useMutation({
    mutationFn: (fields: ReturnType<typeof proofIn>) => client.user.twoFactor.disable.mutate(fields),
    onSuccess: () => {
      show(null);
      return accountChanged();
    },
  });
  return (
    <>
      <SaveForm read={codeIn} save={renew} action={text.newCodes}>
        <CodeField hint={`${texts.signIn.codeHint} ${text.newCodesHint}`} />
      </SaveForm>
      <SaveForm read={proofIn} save={disable} action={text.switchOff}>
        <CurrentPassword />
        <CodeField />
      </SaveForm>
    </>
  );
}
