import { type RefObject, useImperativeHandle, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { NAME_MAX } from "../parts/limits.js";
import { EditedText } from "./EditedText.js";
import * as styles from "./Name.module.css";

interface Props {
  as: "h1" | "h2";
  name: string;
  /** The name of the field while it is edited. */
  label: string;
  canEdit: boolean;
  save: (name: string) => void;
  /** Is given what turns it into a field. */
  edit?: RefObject<(() => void) | null>;
}

/** A heading that becomes a field when it is clicked. */
export function Name({ as: Heading, name, label, canEdit, save, edit }: Props) {
  const [isEdited, setEdited] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useImperativeHandle(edit, () => () => setEdited(canEdit), [canEdit]);
  const close = (isByKey: boolean) => {
    flushSync(() => setEdited(false));
    if (isByKey) button.current?.focus();
  };
  return (
    <Heading className="truncate" dir="auto" aria-label={isEdited ? name : undefined}>
      {isEdited && <EditedText text={name} label={label} maxLength={NAME_MAX} save={save} close={close} />}
      {!isEdited && !canEdit && <span>{name}</span>}
      {!isEdited && canEdit && (
        <button ref={button} type="button" className={`${styles.name} truncate`} onClick={() => setEdited(true)}>
          {name}
        </button>
      )}
    </Heading>
  );
}
