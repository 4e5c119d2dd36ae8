import { colourVariable } from "./colours.js";

const initialsOf = (name: string) => {
  const words = name.trim().split(/\s+/);
  const [first = "", last = ""] = [words.at(0), words.length > 1 ? words.at(-1) : ""];
  return [...first]
    .slice(0, 1)
    .concat([...last].slice(0, 1))
    .join("")
    .toUpperCase();
};

/** The colours that initials are tinted with, so that people tell each other apart. */
const TINTS = ["violet", "blue", "teal", "red", "amber", "pink", "lime", "indigo", "orange", "cyan", "green", "brown"];

/** The colour of a person or thing, by its identifier. */
export function tintOf(key: string): string {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + character.charCodeAt(0)) % TINTS.length;
  return `var(--label-${TINTS[sum]})`;
}

/**
 * A person as initials: the reader in ink, everybody else tinted by the name, which is the same wherever a person appears. The name
 * stands beside it or around it.
 */
export function Avatar({ name, isMe = false, size }: { name: string; isMe?: boolean; size?: "s" | "l" }) {
  const classes = ["av", isMe ? "me" : "tint", size].filter(Boolean).join(" ");
  return (
    <span className={classes} style={isMe ? undefined : colourVariable(tintOf(name))} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** A workspace as its first letter. */
export const Mark = ({ name, id }: { name: string; id: string }) => (
  <span className="mark tint" style={colourVariable(tintOf(id))} aria-hidden="true">
    {[...name.trim()].slice(0, 1).join("").toUpperCase()}
  </span>
);
