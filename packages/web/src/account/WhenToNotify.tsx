import { useMutation, useQuery } from "@tanstack/react-query";
import { client, type RouterInputs } from "../client.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { SelectField } from "../parts/SelectField.js";
import { TryAgain } from "../parts/TryAgain.js";
import { queryClient } from "../session/queryClient.js";
import { texts } from "../texts/later.js";
import * as styles from "./Account.module.css";
import { useOwn } from "./own.js";
import { notificationSettings } from "./queries.js";

const KINDS = ["mention", "reply", "assigned", "comment", "due", "membership"] as const;
const TIMES = ["now", "daily", "off"] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Some minutes before a card is due, from none to a week. */
const MINUTES = [0, 30, 60, 180, 1440, 2880, 10_080];
const NEVER = "never";

type Settings = RouterInputs["user"]["notificationSettings"]["update"];

function settingsIn(form: FormData): Settings {
  const due = form.get("dueMinutes");
  const email = KINDS.flatMap((kind) => {
    const time = TIMES.find((one) => one === form.get(kind));
    return time === undefined ? [] : [[kind, time]];
  });
  return {
    timeZone: String(form.get("timeZone")),
    dueMinutes: due === NEVER ? null : Number(due),
    ...(form.has("digestHour") && { digestHour: Number(form.get("digestHour")) }),
    ...(email.length > 0 && { email: Object.fromEntries(email) }),
  };
}

/** When the reader is reminded, and what comes by mail. */
export function WhenToNotify() {
  const text = texts.account.notifications;
  const { methods } = useOwn();
  const settings = useQuery(notificationSettings);
  const { data } = settings;
  const save = useMutation({
    mutationFn: (fields: Settings) => client.user.notificationSettings.update.mutate(fields),
    onSuccess: (saved) => queryClient.setQueryData(notificationSettings.queryKey, saved),
  });
  if (data === undefined) return <TryAgain of={settings} />;
  const minutes =
    data.dueMinutes === null || MINUTES.includes(data.dueMinutes) ? MINUTES : [data.dueMinutes, ...MINUTES];
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    <Section heading={texts.account.sections.notifications}>
      <SaveForm read={settingsIn} save={save}>
        <SelectField
          label={text.timeZone}
          name="timeZone"
          value={data.timeZone}
          options={[...new Set([data.timeZone, "UTC", ...zones])].map((zone) => [zone, zone] as const)}
        />
        <SelectField
          label={text.due}
          name="dueMinutes"
          value={String(data.dueMinutes ?? NEVER)}
          options={[...minutes.map((one) => [String(one), text.before(one)] as const), [NEVER, text.never]]}
        />
        {methods.emailVerification ? (
          <>
            <fieldset className={styles.choices}>
              <legend className="legend">{text.mail}</legend>
              {KINDS.map((kind) => (
                <SelectField
                  key={kind}
                  label={text.kinds[kind]}
                  name={kind}
                  value={data.email[kind]}
                  options={TIMES.map((time) => [time, text.times[time]] as const)}
                />
              ))}
            </fieldset>
            <SelectField
              label={text.digestHour}
              name="digestHour"
              value={String(data.digestHour)}
              options={HOURS.map((hour) => [String(hour), text.hour(hour)] as const)}
            />
          </>
        ) : (
          <p className="hint">{text.noMail}</p>
        )}
      </SaveForm>
    </Section>
  );
}
