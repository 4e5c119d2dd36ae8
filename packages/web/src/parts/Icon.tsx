import type { LucideIcon } from "lucide-react";

interface Props {
  of: LucideIcon;
  isSmall?: boolean;
  isFilled?: boolean;
}

/** A glyph beside a text, or in a control that has a name. */
export const Icon = ({ of: Glyph, isSmall = false, isFilled = false }: Props) => (
  <Glyph className={isSmall ? "i s" : "i"} strokeWidth={1.75} fill={isFilled ? "currentColor" : "none"} />
);
