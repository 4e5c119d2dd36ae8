// The keyboard of a phone: Safari draws it over the page and resizes only the visual viewport.

/** Less is a bar of the browser. */
const KEYBOARD_MIN_PX = 120;

/** Keeps in `--keyboard` the height that a keyboard covers, for what stands at the lower edge of the screen. */
export function followKeyboard(): void {
  const viewport = window.visualViewport;
  if (viewport === null) return;
  const follow = () => {
    const covered = window.innerHeight - viewport.height - viewport.offsetTop;
    // Whoever has zoomed in sees a part of the page, too.
    const isKeyboard = viewport.scale === 1 && covered >= KEYBOARD_MIN_PX;
    document.documentElement.style.setProperty("--keyboard", isKeyboard ? `${Math.round(covered)}px` : "0px");
  };
  viewport.addEventListener("resize", follow);
  viewport.addEventListener("scroll", follow);
}
