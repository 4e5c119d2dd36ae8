import { useMutation } from "@tanstack/react-query";
import { client } from "../client.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { SelectField } from "../parts/SelectField.js";
import { formatOf } from "../parts/times.js";
import { boardsChanged, type OwnWorkspace, workspaceSettings } from "../session/boards.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import { DeletionRow } from "./DeletionRow.js";

const DAYS = [1, 2, 3, 4, 5, 6, 0];
/** A Sunday, from which the names of days are counted. */
const A_SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;
const weekday = formatOf({ weekday: "long", timeZone: "UTC" });
const nameOfDay = (day: number) => weekday(new Date(A_SUNDAY + day * DAY_MS));

const textOf = (form: FormData, name: string) => String(form.get(name)).trim();
const valuesOf = (form: FormData) => ({
  name: textOf(form, "name"),
  slug: textOf(form, "slug"),
  description: textOf(form, "description"),
  cardPrefix: textOf(form, "cardPrefix").toUpperCase(),
  weekStartDay: Number(form.get("weekStartDay")),
  showEmailsToMembers: form.get("showEmailsToMembers") !== null,
});

/** The name of a workspace, the numbers of its cards, and its deletion. */
export function General({ workspace }: { workspace: OwnWorkspace }) {
  const text = texts.settings.general;
  const { publicId: workspacePublicId, name } = workspace;
  return (
    <>
      <Fields workspace={workspace} />
      {workspace.me.permissions.includes("workspace:delete") && (
        <Section heading={text.delete}>
          <div className="rows">
            <DeletionRow name={name} text={text} remove={() => client.workspace.delete.mutate({ workspacePublicId })} />
          </div>
        </Section>
      )}
    </>
  );
}

function Fields({ workspace }: { workspace: OwnWorkspace }) {
  const text = texts.settings.general;
  const { publicId: workspacePublicId } = workspace;
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof valuesOf>) =>
      client.workspace.update.mutate({ workspacePublicId, ...fields }),
    onSuccess: () =>
      Promise.all([queryClient.invalidateQueries(workspaceSettings(workspacePublicId)), boardsChanged()]),
  });
  return (
    <Section heading={texts.settings.sections.general}>
      <SaveForm read={valuesOf} save={save}>
        <Field
          label={text.name}
          name="name"
          defaultValue={workspace.name}
          maxLength={NAME_MAX}
          required
          autoComplete="off"
        />
        <Field
          label={text.description}
          name="description"
          defaultValue={workspace.description}
          maxLength={5000}
          autoComplete="off"
        />
        <Field
          label={text.slug}
          name="slug"
          defaultValue={workspace.slug}
          maxLength={60}
          required
          autoComplete="off"
          hint={text.slugHint}
        />
        <Field
          label={text.cardPrefix}
          name="cardPrefix"
          defaultValue={workspace.cardPrefix}
          maxLength={10}
          required
          autoComplete="off"
          hint={text.cardPrefixHint}
        />
        <SelectField
          label={text.weekStartDay}
          name="weekStartDay"
          value={String(workspace.weekStartDay)}
          options={DAYS.map((day) => [String(day), nameOfDay(day)] as const)}
        />
        <EmailsSwitch isOn={workspace.showEmailsToMembers} />
      </SaveForm>
    </Section>
  );
}

const EmailsSwitch = ({ isOn }: { isOn: boolean }) => (
  <label className="option">
    <input className="switch" type="checkbox" name="showEmailsToMembers" defaultChecked={isOn} />
    <span>{texts.settings.general.showEmails}</span>
  </label>
);
