// The label colours that Trello's export names.

/** Each colour in its normal, dark and light shade. */
const COLOURS: Record<string, readonly [string, string, string]> = {
  green: ["#4bce97", "#1f845a", "#baf3db"],
  yellow: ["#f5cd47", "#946f00", "#f8e6a0"],
  orange: ["#fea362", "#c25100", "#fedec8"],
  red: ["#f87168", "#c9372c", "#ffd5d2"],
  purple: ["#9f8fef", "#6e5dc6", "#dfd8fd"],
  blue: ["#579dff", "#0c66e4", "#cce0ff"],
  sky: ["#6cc3e0", "#227d9b", "#c6edfb"],
  lime: ["#94c748", "#5b7f24", "#d3f1a7"],
  pink: ["#e774bb", "#ae4787", "#fdd0ec"],
  black: ["#8590a2", "#626f86", "#dcdfe4"],
};
/** The colour of a label without one. */
const NONE = "#b3b9c4";
const SHADES = ["", "dark", "light"];

/** `#rrggbb` of a colour such as `green_dark`, null for an unknown one. */
export function trelloColour(name: string | null | undefined): string | null {
  if (name === null || name === undefined || name === "") return NONE;
  const [hue = "", shade = ""] = name.split("_");
  return (Object.hasOwn(COLOURS, hue) ? COLOURS[hue] : undefined)?.[SHADES.indexOf(shade)] ?? null;
}
