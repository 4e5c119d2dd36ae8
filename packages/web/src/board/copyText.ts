/** Copies a text. Plain HTTP has no clipboard interface, so that a selected field is copied there as by hand. */
export function copyText(text: string): void {
  if (navigator.clipboard !== undefined) {
    void navigator.clipboard.writeText(text);
    return;
  }
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr";
  // An open dialog takes the focus back from whatever is outside of it.
  (focused?.parentElement ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
