import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { RowText } from "../parts/RowText.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { SelectField } from "../parts/SelectField.js";
import { TryAgain } from "../parts/TryAgain.js";
import { CodeField } from "../signIn/CodeField.js";
import { linkAt } from "../signIn/providerFlow.js";
import { texts } from "../texts/later.js";
import { CurrentPassword, passwordIn } from "./CurrentPassword.js";
import { useOwn } from "./own.js";
import { identities, readAgain } from "./queries.js";

const proofIn = (form: FormData) => {
  const code = form.get("code");
  return { providerId: String(form.get("provider")), ...passwordIn(form), ...(code && { code: String(code) }) };
};

/** The providers that sign the reader in. */
export function Identities() {
  const text = texts.account.identities;
  const { user, methods } = useOwn();
  const all = useQuery(identities);
  const { data = [] } = all;
  const nameOf = (providerId: string) => methods.oidc.find((one) => one.providerId === providerId)?.name ?? providerId;
  const link = useMutation({
    mutationFn: ({ providerId, ...proof }: ReturnType<typeof proofIn>) => linkAt(providerId, proof),
  });
  return (
    <Section heading={text.heading}>
      <div className="stack-8">
        <TryAgain of={all} />
        {data.length > 0 && (
          <ul className="rows" aria-label={text.heading}>
            {data.map(({ publicId, providerId, email }) => (
              <li className="line tall" key={publicId}>
                <RowText text={nameOf(providerId)} hint={email} />
                <ConfirmButton
                  className="btn"
                  name={text.unlinkFrom(nameOf(providerId))}
                  heading={text.unlinkAsks(nameOf(providerId))}
                  text={text.unlinkText}
                  action={text.unlink}
                  run={async () => {
                    await client.user.oidc.unlink.mutate({ identityPublicId: publicId });
                    await readAgain(identities);
                  }}
                >
                  {text.unlink}
                </ConfirmButton>
              </li>
            ))}
          </ul>
        )}
        <SaveForm read={proofIn} save={link} action={text.link}>
          <SelectField
            label={text.provider}
            name="provider"
            options={methods.oidc.map(({ providerId, name }) => [providerId, name] as const)}
          />
          <CurrentPassword />
          {user.hasTwoFactor && <CodeField />}
        </SaveForm>
      </div>
    </Section>
  );
}
