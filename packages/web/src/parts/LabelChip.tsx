import { colourVariable } from "./colours.js";

interface Props {
  of: { name: string; colourCode: string };
  size?: "l";
}

/** A label or a tag. */
export const LabelChip = ({ of: { name, colourCode }, size }: Props) => (
  <span className={size ? "chip label tint l" : "chip label tint"} style={colourVariable(colourCode)} dir="auto">
    {name}
  </span>
);
