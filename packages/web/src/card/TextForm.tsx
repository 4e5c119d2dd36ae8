import type { FormEvent, KeyboardEvent } from "react";
import { ctrl } from "../keys/caps.js";
import { Button } from "../parts/Button.js";
import { texts } from "../texts/later.js";
import { useDraft } from "./drafts.js";
import { MarkdownField } from "./MarkdownField.js";
import * as styles from "./Text.module.css";

const COMMENT_MAX = 20_000;

interface Props {
  label: string;
  /** The text that is edited. */
  first?: string;
  /** The name of its draft. */
  thing: string;
  /** The button that sends it. */
  action: string;
  send: (text: string) => Promise<unknown>;
  /** Ends the editing; without it the form stays. */
  close?: () => void;
}

/** A form for a comment. What is typed stays in this browser until the service has it. */
export function TextForm({ label, first = "", thing, action, send, close }: Props) {
  const draft = useDraft(thing, first);
  const text = draft.text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text === "") return;
    draft.clear();
    if (text !== first) void send(text).catch(() => draft.restore(text));
    close?.();
  };
  const cancel = () => {
    draft.clear();
    close?.();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
    if (event.key !== "Escape" || close === undefined) return;
    event.stopPropagation();
    // A single key does not throw away what was typed.
    if (draft.isThere) event.currentTarget.closest<HTMLElement>("[role=dialog]")?.focus();
    else cancel();
  };
  return (
    <form className={styles.box} onSubmit={submit}>
      <MarkdownField
        hasRow
        text={draft.text}
        set={draft.set}
        hasFocus={close !== undefined}
        maxLength={COMMENT_MAX}
        aria-label={label}
        placeholder={label}
        onKeyDown={onKeyDown}
      >
        <span className="keys wide" aria-hidden="true">
          <kbd>{`${ctrl} Enter`}</kbd>
        </span>
        {close !== undefined && (
          <button type="button" className="btn plain s" onClick={cancel}>
            {texts.card.cancel}
          </button>
        )}
        <Button type="submit" className="btn primary s" isOff={text === ""}>
          {action}
        </Button>
      </MarkdownField>
    </form>
  );
}
