import { type KeyboardEvent, useRef } from "react";
import { isSessionOver } from "../session.js";

interface Props {
  text: string;
  label: string;
  maxLength: number;
  save: (text: string) => void;
  /** Ends the editing; by a key, the focus goes back to where it was. */
  close: (isByKey: boolean) => void;
}

/** A text while it is edited in its place: Enter and leaving it save, Escape gives up. */
export function EditedText({ text, label, maxLength, save, close }: Props) {
  const isDone = useRef(false);
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
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") end(null, true);
    if (event.key !== "Enter") return;
    event.preventDefault();
    end(event.currentTarget.value, true);
  };
  return (
    <textarea
      ref={(field) => field?.select()}
      className="rename"
      aria-label={label}
      defaultValue={text}
      maxLength={maxLength}
      rows={1}
      dir="auto"
      onKeyDown={onKeyDown}
      // Who signs in again comes back to it.
      onBlur={(event) => !isSessionOver.get() && end(event.currentTarget.value)}
    />
  );
}
