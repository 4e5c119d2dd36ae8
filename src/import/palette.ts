// Colours for labels without one.

/** Used in order; neighbors differ clearly. */
export const PALETTE = [
  "#4c8dff",
  "#f2994a",
  "#2fb380",
  "#eb5a6f",
  "#9b6ddf",
  "#e3b505",
  "#22b8cf",
  "#d6569f",
  "#84b135",
  "#b07d52",
  "#5c6bc0",
  "#8a94a6",
] as const;

/** The colour of the label at an index on its board. */
export const colourAt = (index: number): string => PALETTE[index % PALETTE.length] ?? PALETTE[0];
