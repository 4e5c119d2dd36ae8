// A template tag for HTML that escapes whatever is put into it: what is text stays text.

/** Markup that is safe to send: made by the tag, or by another renderer that escapes. */
export class Html {
  constructor(readonly markup: string) {}
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

type Value = string | number | Html | readonly Html[];

function markupOf(value: Value): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(({ markup }) => markup).join("");
  return escaped(String(value));
}

/** HTML with values put into its text or its quoted attributes; texts are escaped, markup of this tag is not. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    parts.map((part, index) => `${index === 0 ? "" : markupOf(values[index - 1] ?? "")}${part}`).join(""),
  );
}
