import { useMutation } from "@tanstack/react-query";
import { Video } from "lucide";
import { client, type RouterInputs } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { dateOf, dayOf, twoDigits } from "../parts/days.js";
import { Field, mistakesIn } from "../parts/Field.js";
import { Icon } from "../parts/Icon.js";
import { NAME_MAX } from "../parts/limits.js";
import { onSubmit } from "../parts/onSubmit.js";
import { SelectField } from "../parts/SelectField.js";
import { Submit } from "../parts/Submit.js";
import { TitledDialog } from "../parts/TitledDialog.js";
import { FORMATS } from "../parts/times.js";
import { texts } from "../texts/later.js";
import * as styles from "./Calendar.module.css";
import { type Meeting, meetingsChanged } from "./queries.js";

const RECURRENCES = ["none", "daily", "weekly", "biweekly", "monthly"] as const;
const FIELDS = ["title", "scheduledAt", "callLink"] as const;
/** A new meeting begins at this hour, unless one says another. */
const HOUR = 10;

type Fields = Omit<RouterInputs["workspace"]["meetings"]["save"], "workspacePublicId" | "meetingPublicId">;

/** The beginning of a meeting as a field for a local date and time has it; a new one begins on a day. */
function fieldOf(meeting: Meeting | null, day: string): string {
  if (meeting !== null && meeting.scheduledAt === null) return "";
  const at = meeting?.scheduledAt ? new Date(meeting.scheduledAt) : new Date(dateOf(day).setHours(HOUR));
  return `${dayOf(at)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function fieldsIn(form: FormData): Fields {
  const at = String(form.get("scheduledAt"));
  return {
    title: String(form.get("title")).trim(),
    scheduledAt: at === "" ? null : new Date(at).toISOString(),
    callLink: String(form.get("callLink")).trim() || null,
    description: String(form.get("description")),
    recurrence: RECURRENCES.find((one) => one === form.get("recurrence")) ?? "none",
  };
}

interface Props {
  workspacePublicId: string;
  /** Null: a new one. */
  meeting: Meeting | null;
  /** The day on which a new one takes place. */
  day: string;
  canEdit: boolean;
  close: () => void;
}

/** A meeting, to be joined, and to be changed where that is allowed. */
export function MeetingDialog({ meeting, close, canEdit, ...props }: Props) {
  const text = texts.calendar.meeting;
  return (
    <TitledDialog heading={meeting?.title ?? texts.calendar.newMeeting} close={close}>
      {meeting !== null && <Join meeting={meeting} />}
      {canEdit ? (
        <MeetingForm {...props} meeting={meeting} close={close} />
      ) : (
        meeting !== null && <MeetingDetails of={meeting} />
      )}
      {canEdit && meeting !== null && (
        <ConfirmButton
          className={`btn danger ${styles.start}`}
          heading={text.deleteAsks(meeting.title)}
          text={text.deleteText}
          action={text.delete}
          run={async () => {
            const { workspacePublicId } = props;
            await client.workspace.meetings.delete.mutate({ workspacePublicId, meetingPublicId: meeting.publicId });
            void meetingsChanged(workspacePublicId);
            close();
          }}
        >
          {text.delete}
        </ConfirmButton>
      )}
    </TitledDialog>
  );
}

/** The link to a call, or where else the meeting takes place. */
function Join({ meeting: { callLink } }: { meeting: Meeting }) {
  if (callLink === null) return null;
  if (!/^https?:\/\//i.test(callLink)) return <p dir="auto">{callLink}</p>;
  return (
    <a className={`btn primary l ${styles.start}`} href={callLink} target="_blank" rel="noreferrer">
      <Icon of={Video} />
      <span>{texts.calendar.meeting.join}</span>
    </a>
  );
}

function MeetingDetails({ of: { scheduledAt, recurrence, description } }: { of: Meeting }) {
  const text = texts.calendar.meeting;
  const at = scheduledAt === null ? null : new Date(scheduledAt);
  return (
    <div className="stack-8">
      <p>{`${at === null ? texts.calendar.unplanned : FORMATS.dayAndTime(at)}, ${text.recurrences[recurrence]}`}</p>
      {description !== "" && <p dir="auto">{description}</p>}
    </div>
  );
}

function MeetingForm({ workspacePublicId, meeting, day, close }: Omit<Props, "canEdit">) {
  const text = texts.calendar.meeting;
  const save = useMutation({
    mutationFn: (fields: Fields) =>
      client.workspace.meetings.save.mutate({
        workspacePublicId,
        ...(meeting !== null && { meetingPublicId: meeting.publicId }),
        ...fields,
      }),
    onSuccess: () => {
      void meetingsChanged(workspacePublicId);
      close();
    },
  });
  const mistakeIn = mistakesIn(save.error);
  return (
    <form className={styles.form} onSubmit={onSubmit((values) => save.mutate(fieldsIn(values)))}>
      <Field
        label={text.title}
        name="title"
        defaultValue={meeting?.title}
        maxLength={NAME_MAX}
        required
        autoComplete="off"
        error={mistakeIn("title")}
      />
      <Field
        label={text.begins}
        name="scheduledAt"
        type="datetime-local"
        defaultValue={fieldOf(meeting, day)}
        hint={text.beginsHint}
        error={mistakeIn("scheduledAt")}
      />
      <SelectField
        label={text.repeats}
        name="recurrence"
        value={meeting?.recurrence ?? "none"}
        options={RECURRENCES.map((one) => [one, text.recurrences[one]] as const)}
      />
      <Field
        label={text.place}
        name="callLink"
        defaultValue={meeting?.callLink ?? ""}
        maxLength={500}
        autoComplete="off"
        hint={text.placeHint}
        error={mistakeIn("callLink")}
      />
      <label className="field">
        <span className="legend">{text.description}</span>
        <textarea className="input" name="description" defaultValue={meeting?.description} maxLength={5000} />
      </label>
      <Submit of={save} isShown={FIELDS.some(mistakeIn)} className={`btn primary l ${styles.start}`}>
        {texts.save}
      </Submit>
    </form>
  );
}
