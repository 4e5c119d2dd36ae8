// Input methods, by which people type Chinese, Japanese and Korean: their keys choose words, and Enter takes one.

/** The code of each key that an input method handles, whatever the key is. */
const HANDLED = 229;

/** Keeps the keys of input methods from every handler of the page. Safari reports the last one after the word was composed. */
export function ignoreInputMethods(): void {
  const ignore = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === HANDLED) event.stopImmediatePropagation();
  };
  addEventListener("keydown", ignore, { capture: true });
}
