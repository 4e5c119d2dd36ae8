import { type ComponentProps, type MouseEvent, type ReactNode, useRef, useState } from "react";
import { texts } from "../texts/later.js";
import { Formatting } from "./Formatting.js";
import { Markdown } from "./lazyMarkdown.js";
import { MentionField } from "./MentionField.js";
import * as styles from "./Text.module.css";

interface Props extends Omit<ComponentProps<typeof MentionField>, "ref"> {
  /** Whether the row below is shown. */
  hasRow: boolean;
  /** The buttons of the form. */
  children: ReactNode;
}

/** A field for Markdown, in whose place its reader can see how it will look, above a row of buttons. */
export function MarkdownField({ hasRow, children, ...field }: Props) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const [isPreview, setPreview] = useState(false);
  const [isBack, setBack] = useState(false);
  const isShown = isPreview && hasRow && field.text.trim() !== "";
  const turn = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // The field leaves.
    currentTarget.focus();
    setPreview(!isShown);
    setBack(isShown);
  };
  return (
    <>
      {isShown ? (
        <section className={styles.preview} aria-label={texts.preview}>
          <Markdown text={field.text} />
        </section>
      ) : (
        <MentionField {...field} ref={ref} hasFocus={field.hasFocus === true || isBack} />
      )}
      {hasRow && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a press on a button must not take the focus from the field
        <div className={styles.row} onMouseDown={(event) => event.preventDefault()}>
          {!isShown && <Formatting field={ref} />}
          <button type="button" className="btn plain s" aria-pressed={isShown} onClick={turn}>
            {texts.preview}
          </button>
          <span className="grow" />
          {children}
        </div>
      )}
    </>
  );
}
