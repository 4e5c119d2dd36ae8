import { useContext, useState } from "react";
import { Field, MistakesContext } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { texts } from "../texts/later.js";
import type { Webhook } from "./queries.js";

const EVERYTHING = "*";

/** The filters that a form asks for. */
const filtersOf = (form: FormData): string[] => {
  const chosen = form.getAll("events").map(String);
  return chosen.includes(EVERYTHING) ? [EVERYTHING] : chosen;
};

/** Reads a form of these fields. */
export const webhookOf = (form: FormData) => ({
  name: String(form.get("name")).trim(),
  url: String(form.get("url")).trim(),
  events: filtersOf(form),
});

/** The name of a webhook, its address, and the events that it sends. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const text = texts.settings.webhooks;
  const kinds: Readonly<Record<string, string>> = text.kinds;
  const events = webhook?.events ?? [EVERYTHING];
  const [isEverything, setEverything] = useState(events.includes(EVERYTHING));
  // Filters that were set by other means are kept, and can be taken away.
  const others = events.filter((one) => one !== EVERYTHING && !Object.hasOwn(kinds, one));
  const mistakeIn = useContext(MistakesContext);
  return (
    <>
      <Field
        label={text.name}
        name="name"
        defaultValue={webhook?.name}
        maxLength={NAME_MAX}
        required
        autoComplete="off"
      />
      <Field
        label={text.url}
        name="url"
        type="url"
        defaultValue={webhook?.url}
        maxLength={2048}
        required
        autoComplete="off"
        placeholder="https://"
      />
      <fieldset className="checks">
        <legend className="legend">{text.events}</legend>
        <label className="option">
          <input
            className="check"
            type="checkbox"
            name="events"
            value={EVERYTHING}
            checked={isEverything}
            aria-invalid={mistakeIn("events") !== undefined}
            onChange={({ currentTarget }) => setEverything(currentTarget.checked)}
          />
          <span>{text.everything}</span>
        </label>
        {[...Object.keys(kinds), ...others].map((filter) => (
          <label key={filter} className="option" hidden={isEverything}>
            <input
              className="check"
              type="checkbox"
              name="events"
              value={filter}
              defaultChecked={events.includes(filter)}
            />
            <span>{kinds[filter] ?? filter}</span>
          </label>
        ))}
      </fieldset>
      {mistakeIn("events") !== undefined && <p className="error">{text.noEvents}</p>}
    </>
  );
}
