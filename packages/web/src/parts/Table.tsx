import type { ReactNode } from "react";

interface Props {
  name: string;
  /** The heads of its columns. One with `isWide` is left out where there is no room, one with `isHidden` is for screen readers. */
  heads: readonly { text: string; isWide?: boolean; isHidden?: boolean }[];
  /** Its rows. */
  children: ReactNode;
}

/** A table, which scrolls by itself where it has no room. */
export const Table = ({ name, heads, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
  <section className="table" tabIndex={0} aria-label={name}>
    <table>
      <thead>
        <tr>
          {heads.map(({ text, isWide, isHidden }) => (
            <th key={text} scope="col" className={isWide ? "wide" : undefined}>
              {isHidden ? <span className="sr">{text}</span> : text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
