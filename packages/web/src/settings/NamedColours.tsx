import { useMutation } from "@tanstack/react-query";
import { X } from "lucide";
import { failureOf } from "../client.js";
import { ConfirmButton } from "../parts/ConfirmButton.js";
import { COLOURS, colourOfNext, colourVariable } from "../parts/colours.js";
import { Field } from "../parts/Field.js";
import { Icon } from "../parts/Icon.js";
import { onSubmit } from "../parts/onSubmit.js";
import { Reason } from "../parts/Reason.js";
import { Select } from "../parts/Select.js";
import { Submit } from "../parts/Submit.js";
import { texts } from "../texts/later.js";

/** A tag or a label. */
interface NamedColour {
  publicId: string;
  name: string;
  colourCode: string;
}

type Fields = Pick<NamedColour, "name" | "colourCode">;

interface Props {
  /** The name of the list. */
  name: string;
  all: readonly NamedColour[];
  /** The text that is shown before one is deleted. */
  deleteText: string;
  create: (fields: Fields) => Promise<unknown>;
  update: (publicId: string, fields: Partial<Fields>) => Promise<unknown>;
  remove: (publicId: string) => Promise<unknown>;
}

/** Tags or labels: added, renamed, coloured and deleted. */
export function NamedColours({ name, all, deleteText, create, update, remove }: Props) {
  const text = texts.settings.colours;
  const add = useMutation({ mutationFn: create });
  const submit = onSubmit((values, form) => {
    const wanted = String(values.get("name")).trim();
    if (wanted !== "") {
      add.mutate({ name: wanted, colourCode: colourOfNext(all.length) }, { onSuccess: () => form.reset() });
    }
  });
  const mistake = add.error === null ? undefined : failureOf(add.error).text;
  return (
    <>
      {all.length > 0 && (
        <ul className="rows" aria-label={name}>
          {all.map((one) => (
            <Row key={one.publicId} one={one} deleteText={deleteText} update={update} remove={remove} />
          ))}
        </ul>
      )}
      <form onSubmit={submit} className="fields new-one">
        <Field label={text.new} name="name" maxLength={64} autoComplete="off" required error={mistake} />
        <Submit of={add} isShown>
          {text.add}
        </Submit>
      </form>
    </>
  );
}

function Row({
  one: { publicId, name, colourCode },
  deleteText,
  update,
  remove,
}: Pick<Props, "deleteText" | "update" | "remove"> & { one: NamedColour }) {
  const text = texts.settings.colours;
  const change = useMutation({ mutationFn: (fields: Partial<Fields>) => update(publicId, fields) });
  const known = COLOURS.map(([key, code]) => [code as string, text.names[key]] as const);
  const own = known.find(([code]) => code === colourCode.toLowerCase()) ?? ([colourCode, colourCode] as const);
  const rename = (field: HTMLInputElement) => {
    const wanted = field.value.trim();
    if (wanted === "") field.value = name;
    else if (wanted !== name) change.mutate({ name: wanted });
  };
  return (
    <li className="line tall">
      <span className="swatch" style={colourVariable(colourCode)} aria-hidden="true" />
      <input
        key={name}
        className="input s name-field"
        aria-label={text.nameOf(name)}
        defaultValue={name}
        maxLength={64}
        dir="auto"
        autoComplete="off"
        onBlur={({ currentTarget }) => rename(currentTarget)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") rename(currentTarget);
        }}
      />
      <Select
        name={text.colourOf(name)}
        value={own[0]}
        options={known.includes(own) ? known : [own, ...known]}
        choose={(wanted) => change.mutate({ colourCode: wanted })}
      >
        {own[1]}
      </Select>
      <ConfirmButton
        className="btn plain icon"
        name={text.delete(name)}
        heading={text.deleteAsks(name)}
        text={deleteText}
        action={text.deleteAction}
        run={() => remove(publicId)}
      >
        <Icon of={X} />
      </ConfirmButton>
      <Reason of={change.error} />
    </li>
  );
}
