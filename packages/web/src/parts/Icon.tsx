import type { LucideIcon } from "lucide-react";

/** A glyph beside a text, or in a control that has a name. */
export const Icon = ({ of: Glyph, isSmall = false }: { of: LucideIcon; isSmall?: boolean }) => (
  <Glyph className={isSmall ? "i s" : "i"} strokeWidth={1.75} />
);
