import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { Reason } from "../parts/Reason.js";
import { RunButton } from "../parts/RunButton.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { accountChanged } from "../session/session.js";
import { texts } from "../texts/later.js";
import { CurrentPassword, passwordIn } from "./CurrentPassword.js";
import { useOwn } from "./own.js";

const profileIn = (form: FormData) => ({
  name: String(form.get("name")).trim(),
  image: String(form.get("image")).trim() || null,
});

/** The name and picture that others see, and the address. */
export function Profile() {
  const text = texts.account.profile;
  const { user, methods } = useOwn();
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof profileIn>) => client.user.update.mutate(fields),
    onSuccess: accountChanged,
  });
  return (
    <>
      <Section heading={texts.account.sections.profile}>
        <SaveForm read={profileIn} save={save}>
          <Field
            label={text.name}
            name="name"
            defaultValue={user.name}
            maxLength={NAME_MAX}
            required
            autoComplete="name"
          />
          <Field
            label={text.image}
            name="image"
            type="url"
            defaultValue={user.image ?? ""}
            autoComplete="off"
            hint={text.imageHint}
          />
        </SaveForm>
      </Section>
      {user.email !== null && (
        <Section heading={text.address}>
          <div className="stack-8">
            <Address email={user.email} />
            {methods.emailVerification && <NewAddress />}
          </div>
        </Section>
      )}
    </>
  );
}

/** The address, and a link that confirms it. */
function Address({ email }: { email: string }) {
  const text = texts.account.profile;
  const { user, methods } = useOwn();
  const send = useMutation({ mutationFn: () => client.user.requestEmailVerification.mutate() });
  const isUnconfirmed = methods.emailVerification && user.emailVerifiedAt === null;
  return (
    <div className="rows">
      <div className="line tall">
        <span className="grow">
          <span>{email}</span>
          {isUnconfirmed && (
            <>
              <br />
              <span className="hint" role="status">
                {send.isSuccess ? text.linkSent : text.unconfirmed}
              </span>
            </>
          )}
        </span>
        {isUnconfirmed && !send.isSuccess && (
          <RunButton of={send} run={() => send.mutate()}>
            {text.sendLink}
          </RunButton>
        )}
        <Reason of={send.error} />
      </div>
      {user.pendingEmail !== null && <p className="line">{text.pending(user.pendingEmail)}</p>}
    </div>
  );
}

const addressIn = (form: FormData) => ({ email: String(form.get("email")), ...passwordIn(form) });

function NewAddress() {
  const text = texts.account.profile;
  const change = useMutation({
    mutationFn: (fields: ReturnType<typeof addressIn>) => client.user.changeEmail.mutate(fields),
    onSuccess: accountChanged,
  });
  return (
    <SaveForm read={addressIn} save={change} action={text.changeAddress}>
      <Field label={text.newAddress} name="email" type="email" autoComplete="off" required hint={text.newAddressHint} />
      <CurrentPassword />
    </SaveForm>
  );
}
