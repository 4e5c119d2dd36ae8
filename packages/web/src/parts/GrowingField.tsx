import { type Ref, type TextareaHTMLAttributes, useImperativeHandle, useLayoutEffect, useRef } from "react";
import * as styles from "./GrowingField.module.css";

/** Whether styles alone let a field grow: in Safari from 26.2, not in older ones, and not in every Firefox. */
const isGrownByStyle = CSS.supports("field-sizing", "content");

function grow(field: HTMLTextAreaElement): void {
  field.style.height = "";
  // An empty one has the height that its style says, whether it has the focus or not.
  if (field.value !== "") field.style.height = `${field.scrollHeight}px`;
}

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "rows" | "dir"> {
  ref?: Ref<HTMLTextAreaElement>;
}

/** A field for text of any length, which is as high as its text. */
export function GrowingField({ ref, className = "", onInput, ...field }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle<HTMLTextAreaElement | null, HTMLTextAreaElement | null>(ref, () => own.current, []);
  useLayoutEffect(() => {
    if (!isGrownByStyle && own.current !== null) grow(own.current);
  });
  useLayoutEffect(() => {
    const { current: growing } = own;
    if (isGrownByStyle || growing === null) return;
    let width = growing.clientWidth;
    const observer = new ResizeObserver(() => {
      // Lines break elsewhere. Its height is its own, or that which somebody has dragged it to.
      if (growing.clientWidth !== width) grow(growing);
      width = growing.clientWidth;
    });
    observer.observe(growing);
    return () => observer.disconnect();
  }, []);
  return (
    <textarea
      {...field}
      ref={own}
      className={`${styles.growing} ${className}`}
      rows={1}
      dir="auto"
      onInput={(event) => {
        if (!isGrownByStyle) grow(event.currentTarget);
        onInput?.(event);
      }}
    />
  );
}
