import type { ReactNode } from "react";

/** The text of a row, with a hint and maybe more below it. */
export const RowText = ({ text, hint, children }: { text: string; hint: string | null; children?: ReactNode }) => (
  <div className="grow">
    <span>{text}</span>
    <br />
    <span className="hint">{hint}</span>
    {children}
  </div>
);
