import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { OneTime } from "../parts/OneTime.js";
import { RowText } from "../parts/RowText.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { SelectField } from "../parts/SelectField.js";
import { TryAgain } from "../parts/TryAgain.js";
import { shortTime } from "../parts/times.js";
import { texts } from "../texts/later.js";
import { useOwn } from "./own.js";
import { readAgain, tokens } from "./queries.js";

const DAYS = [30, 90, 365] as const;
const DAY_MS = 86_400_000;

function tokenIn(form: FormData) {
  const days = Number(form.get("days"));
  const workspacePublicId = String(form.get("workspace"));
  return {
    name: String(form.get("name")).trim(),
    scope: form.get("scope") === "write" ? ("write" as const) : ("read" as const),
    ...(workspacePublicId !== "" && { workspacePublicId }),
    ...(days > 0 && { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
  };
}

/** Tokens by which scripts act for the reader. */
export function Tokens() {
  const text = texts.account.tokens;
  const all = useQuery(tokens);
  const { data } = all;
  return (
    <>
      <NewToken />
      <Section heading={text.heading} count={data && String(data.length)}>
        <TryAgain of={all} />
        {data?.length === 0 && <p className="hint">{text.none}</p>}
        {data !== undefined && data.length > 0 && (
          <ul className="rows" aria-label={text.heading}>
            {data.map((one) => (
              <Token key={one.publicId} token={one} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function NewToken() {
  const text = texts.account.tokens;
  const { workspaces } = useOwn();
  const make = useMutation({
    mutationFn: (fields: ReturnType<typeof tokenIn>) => client.user.tokens.create.mutate(fields),
    onSuccess: () => readAgain(tokens),
  });
  return (
    <Section heading={text.new}>
      <SaveForm read={tokenIn} save={make} action={text.make}>
        <Field label={text.name} name="name" maxLength={NAME_MAX} required autoComplete="off" hint={text.nameHint} />
        <div className="fields">
          <SelectField
            label={text.scope}
            name="scope"
            options={[
              ["read", text.scopes.read],
              ["write", text.scopes.write],
            ]}
          />
          <SelectField
            label={text.workspace}
            name="workspace"
            options={[["", text.everyWorkspace], ...workspaces.map(({ publicId, name }) => [publicId, name] as const)]}
          />
          <SelectField
            label={text.expires}
            name="days"
            options={[...DAYS.map((days) => [String(days), text.inDays(days)] as const), ["0", text.never]]}
          />
        </div>
      </SaveForm>
      {make.data !== undefined && (
        <OneTime className="rows panel-form new-one" text={text.once} secret={make.data.accessToken} copy={text.copy} />
      )}
    </Section>
  );
}

type Listed = Awaited<ReturnType<typeof client.user.tokens.list.query>>[number];

function Token({ token: { publicId, name, scope, workspacePublicId, expiresAt, lastUsedAt } }: { token: Listed }) {
  const text = texts.account.tokens;
  const { workspaces } = useOwn();
  const now = new Date();
  const facts = [
    text.scopes[scope],
    workspaces.find((one) => one.publicId === workspacePublicId)?.name,
    expiresAt === null ? text.forever : text.until(shortTime(expiresAt, now)),
    lastUsedAt === null ? text.unused : text.lastUsed(shortTime(lastUsedAt, now)),
  ];
  return (
    <li className="line tall">
      <RowText text={name} hint={facts.filter((fact) => fact !== undefined).join(", ")} />
      <ConfirmButton
        className="btn danger"
        name={text.revokeOf(name)}
        heading={text.revokeAsks(name)}
        text={text.revokeText}
        action={text.revoke}
        run={async () => {
          await client.user.tokens.revoke.mutate({ tokenPublicId: publicId });
          await readAgain(tokens);
        }}
      >
        {text.revoke}
      </ConfirmButton>
    </li>
  );
}
