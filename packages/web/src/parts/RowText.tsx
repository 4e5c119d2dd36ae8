import type { ReactNode } from "react";

/** The text of a row, with a hint and maybe more below it. */
export const RowText = ({ text, hint, children }: { text: ReactNode; hint: ReactNode; children?: ReactNode }) => (
  <div className="grow">
    {text}
    <br />
    <span className="hint">{hint}</span>
    {children}
  </div>
);
