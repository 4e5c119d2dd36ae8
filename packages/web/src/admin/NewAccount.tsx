import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Field, mistakesIn } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { OneTime } from "../parts/OneTime.js";
import { onSubmit } from "../parts/onSubmit.js";
import { Section } from "../parts/Section.js";
import { Submit } from "../parts/Submit.js";
import { adminTexts } from "../texts/adminTexts.js";
import { accountsChanged, linkHere } from "./queries.js";

/** Makes an account for somebody, who gets in by a link to pass on. */
export function NewAccount() {
  const text = adminTexts.users;
  const create = useMutation({
    mutationFn: (fields: { name: string; email: string }) => client.admin.users.create.mutate(fields),
    onSuccess: accountsChanged,
  });
  const submit = onSubmit((values, form) => {
    const fields = { name: String(values.get("name")).trim(), email: String(values.get("email")).trim() };
    create.mutate(fields, { onSuccess: () => form.reset() });
  });
  const mistakeIn = mistakesIn(create.error);
  return (
    <Section heading={text.new}>
      <div className="rows panel-form">
        <form className="fields" onSubmit={submit}>
          <Field
            label={text.name}
            name="name"
            maxLength={NAME_MAX}
            autoComplete="off"
            required
            error={mistakeIn("name")}
          />
          <Field
            label={text.email}
            name="email"
            type="email"
            maxLength={254}
            autoComplete="off"
            required
            error={mistakeIn("email")}
          />
          <Submit of={create} isShown={["name", "email"].some(mistakeIn)}>
            {text.create}
          </Submit>
        </form>
        {create.isSuccess && (
          <OneTime
            className="one-time"
            text={text.created(create.data.user.name)}
            secret={linkHere(create.data.setPasswordUrl)}
            copy={text.copyLink}
          />
        )}
      </div>
    </Section>
  );
}
