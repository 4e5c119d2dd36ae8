import type { IconNode } from "lucide";

interface Props {
  of: IconNode;
  isSmall?: boolean;
  isFilled?: boolean;
}

type Attributes = Readonly<Record<string, number>>;

/** The shapes in glyphs, each as a path. */
const PATHS: Record<string, (attributes: Attributes) => string> = {
  line: ({ x1, y1, x2, y2 }) => `M${x1} ${y1}L${x2} ${y2}`,
  circle: ({ cx = 0, cy = 0, r = 0 }) => `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  rect: ({ x = 0, y = 0, width = 0, height = 0, rx = 0 }) => {
    const corner = (dx: number, dy: number) => `a${rx} ${rx} 0 0 1 ${dx * rx} ${dy * rx}`;
    const [across, down] = [width - 2 * rx, height - 2 * rx];
    return `M${x + rx} ${y}h${across}${corner(1, 1)}v${down}${corner(-1, 1)}h${-across}${corner(-1, -1)}v${-down}${corner(1, -1)}z`;
  },
};

function pathOf([tag, attributes]: IconNode[number]): string {
  // A path may begin relative to the point where the one before it ended.
  if (tag === "path") return `M0 0${attributes.d}`;
  const numbers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, Number(value)]));
  const path = PATHS[tag];
  if (path === undefined) throw new Error(`A glyph has the shape ${tag}`);
  return path(numbers);
}

const paths = new WeakMap<IconNode, string>();

/** A whole glyph as one path: boards have hundreds of glyphs, and every element costs time. */
function wholePathOf(glyph: IconNode): string {
  const known = paths.get(glyph) ?? glyph.map(pathOf).join("");
  paths.set(glyph, known);
  return known;
}

/** A glyph beside a text, or in a control that has a name. */
export const Icon = ({ of, isSmall = false, isFilled = false }: Props) => (
  <svg className={`i${isSmall ? " s" : ""}${isFilled ? " full" : ""}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={wholePathOf(of)} />
  </svg>
);
