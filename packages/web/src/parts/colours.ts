import type { CSSProperties } from "react";

/** The property that `.tint` and `.swatch` take their colour from. React sets it by CSSOM, which the page's policy allows. */
export const colourVariable = (colour: string): CSSProperties => ({ ["--c" as string]: colour });

/** The colours that labels and tags are offered. */
export const COLOURS = [
  ["red", "#e5484d"],
  ["orange", "#f76b15"],
  ["amber", "#ffb224"],
  ["lime", "#94ad26"],
  ["green", "#30a46c"],
  ["teal", "#12a594"],
  ["cyan", "#00a2c7"],
  ["blue", "#0090ff"],
  ["indigo", "#3e63dd"],
  ["violet", "#8e4ec6"],
  ["pink", "#d6409f"],
  ["brown", "#a18072"],
  ["grey", "#8b8d98"],
] as const;

/** The colour of a new label or tag beside `count` others: each gets another one, in turn. */
export const colourOfNext = (count: number): string => COLOURS[count % COLOURS.length]?.[1] ?? COLOURS[0][1];
