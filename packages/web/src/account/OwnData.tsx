import { Download } from "lucide";
import { useState } from "react";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { Field } from "../parts/Field.js";
import { Icon } from "../parts/Icon.js";
import { RowText } from "../parts/RowText.js";
import { Section } from "../parts/Section.js";
import { endSession } from "../session/session.js";
import { texts } from "../texts/later.js";
import { Username, useAsksForPassword } from "./CurrentPassword.js";

/** The export of the data that the service stores about the reader, and the end of the account. */
export function OwnData() {
  const text = texts.account.data;
  return (
    <>
      <Section heading={text.export}>
        <div className="rows">
          <div className="line tall">
            <RowText text={text.exportText} hint={text.exportHint} />
            <a className="btn" href="/api/v1/users/me/export" download>
              <Icon of={Download} />
              <span>{text.download}</span>
            </a>
          </div>
        </div>
      </Section>
      <Closing />
    </>
  );
}

function Closing() {
  const text = texts.account.data;
  const asksForPassword = useAsksForPassword();
  const [password, setPassword] = useState("");
  const close = async () => {
    await client.user.delete.mutate(asksForPassword ? { password } : {});
    endSession();
  };
  return (
    <Section heading={text.close}>
      <form className="rows panel-form" onSubmit={(event) => event.preventDefault()}>
        <p>{text.closeText}</p>
        {asksForPassword && (
          <>
            <Username />
            <Field
              label={texts.account.currentPassword}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          </>
        )}
        <ConfirmButton
          className="btn danger"
          heading={text.closeAsks}
          text={text.closeText}
          action={text.closeAction}
          run={close}
        >
          {text.closeAction}
        </ConfirmButton>
      </form>
    </Section>
  );
}
