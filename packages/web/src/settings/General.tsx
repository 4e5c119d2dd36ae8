import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { client } from "../client.js";
import { AskButton } from "../parts/AskButton.js";
import { Field } from "../parts/Field.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { boardsChanged, queries, workspaceSettings } from "../queries.js";
import { texts } from "../texts/later.js";
import type { OwnWorkspace } from "./queries.js";

const FIELDS = ["name", "slug", "description", "cardPrefix"] as const;
const DAYS = [1, 2, 3, 4, 5, 6, 0];
/** A Sunday, from which the names of days are counted. */
const A_SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;
const nameOfDay = (day: number) =>
  new Date(A_SUNDAY + day * DAY_MS).toLocaleDateString(undefined, { weekday: "long", timeZone: "UTC" });

const textOf = (form: FormData, name: string) => String(form.get(name)).trim();
const valuesOf = (form: FormData) => ({
  name: textOf(form, "name"),
  slug: textOf(form, "slug"),
  description: textOf(form, "description"),
  cardPrefix: textOf(form, "cardPrefix").toUpperCase(),
  weekStartDay: Number(form.get("weekStartDay")),
  showEmailsToMembers: form.get("showEmailsToMembers") !== null,
});

/** What a workspace is called and how its cards are numbered, and deleting it. */
export function General({ workspace }: { workspace: OwnWorkspace }) {
  const text = texts.settings.general;
  const [, navigate] = useLocation();
  const { publicId: workspacePublicId, name } = workspace;
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof valuesOf>) =>
      client.workspace.update.mutate({ workspacePublicId, ...fields }),
    onSuccess: () => Promise.all([queries.invalidateQueries(workspaceSettings(workspacePublicId)), boardsChanged()]),
  });
  const remove = async () => {
    await client.workspace.delete.mutate({ workspacePublicId });
    navigate("/");
    void boardsChanged();
  };
  return (
    <>
      <Section heading={texts.settings.sections.general}>
        <SaveForm read={valuesOf} save={save} fields={FIELDS}>
          <Field label={text.name} name="name" defaultValue={name} maxLength={255} required autoComplete="off" />
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
          <label className="field">
            <span className="legend">{text.weekStartDay}</span>
            <select className="input" name="weekStartDay" defaultValue={workspace.weekStartDay}>
              {DAYS.map((day) => (
                <option key={day} value={day}>
                  {nameOfDay(day)}
                </option>
              ))}
            </select>
          </label>
          <label className="option">
            <input
              className="switch"
              type="checkbox"
              name="showEmailsToMembers"
              defaultChecked={workspace.showEmailsToMembers}
            />
            {text.showEmails}
          </label>
        </SaveForm>
      </Section>
      {workspace.me.permissions.includes("workspace:delete") && (
        <Section heading={text.delete}>
          <div className="rows">
            <div className="line tall">
              <span className="grow">
                {text.deleteText}
                <br />
                <span className="hint">{text.deleteHint}</span>
              </span>
              <AskButton
                className="btn danger"
                heading={text.deleteAsks(name)}
                text={text.deleteHint}
                action={text.delete}
                typed={name}
                run={remove}
              >
                {text.delete}
              </AskButton>
            </div>
          </div>
        </Section>
      )}
    </>
  );
}
