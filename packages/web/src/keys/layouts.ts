/**
 * The character of a key in lower case, or its name, such as `Enter`. Where a layout has no Latin letter on a key, as in Russian,
 * Greek, Hebrew and Arabic, its place on a Latin keyboard counts.
 */
export function keyPressed({ key, code, shiftKey }: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  if (/^[a-z./?]$/i.test(key)) return key.toLowerCase();
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const sign = key > "~" ? { Period: ".", Slash: shiftKey ? "?" : "/" }[code] : undefined;
  return letter?.toLowerCase() ?? sign ?? key;
}
