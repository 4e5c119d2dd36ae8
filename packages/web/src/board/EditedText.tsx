import { type KeyboardEvent, useCallback, useRef, useState } from "react";
import { GrowingField } from "../parts/GrowingField.js";
import { isSessionOver } from "../requests.js";
import * as styles from "./Name.module.css";

interface Props {
  text: string;
  label: string;
  maxLength: number;
  /** The text typed in an earlier field for the same thing, which left the page while it was edited. */
  begun?: string | undefined;
  /** Is called with what is typed. */
  type?: (text: string) => void;
  save: (text: string) => void;
  /** Ends the editing; by a key, the focus goes back to where it was. */
  close: (isByKey: boolean) => void;
}

/** A text while it is edited in its place: Enter and leaving it save, Escape gives up. */
export function EditedText({ text, label, maxLength, begun: typed, type, save, close }: Props) {
  const isDone = useRef(false);
  const [begun] = useState(typed);
  const start = useCallback(
    (field: HTMLTextAreaElement | null) => {
      field?.select();
      if (begun !== undefined) field?.setSelectionRange(begun.length, begun.length);
    },
    [begun],
  );
  const end = (next: string | null, isByKey = false) => {
    // Closing takes the focus away, which must not save again.
    if (isDone.current) return;
    isDone.current = true;
    const trimmed = next?.replaceAll(/\s*\n\s*/g, " ").trim() ?? "";
    if (trimmed !== "" && trimmed !== text) save(trimmed);
    close(isByKey);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    if (event.key === "Escape") end(null, true);
    if (event.key !== "Enter") return;
    event.preventDefault();
    end(event.currentTarget.value, true);
  };
  return (
    <GrowingField
      ref={start}
      className={styles.field}
      aria-label={label}
      defaultValue={begun ?? text}
      maxLength={maxLength}
      onInput={({ currentTarget }) => type?.(currentTarget.value)}
      onKeyDown={onKeyDown}
      // Who signs in again comes back to it.
      onBlur={(event) => !isSessionOver.get() && end(event.currentTarget.value)}
    />
  );
}
