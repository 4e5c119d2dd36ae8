import { type ReactNode, useId } from "react";

interface Props {
  heading: string;
  /** The text beside the heading. */
  count?: string | undefined;
  children: ReactNode;
}

/** A part of a page with a heading. */
export function Section({ heading, count, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{heading}</h2>
        {count !== undefined && <span className="count">{count}</span>}
      </div>
      {children}
    </section>
  );
}
