import type { CSSProperties } from "react";

/** The property that `.tint` and `.swatch` take their colour from. React sets it by CSSOM, which the page's policy allows. */
export const colourVariable = (colour: string): CSSProperties => ({ ["--c" as string]: colour });
