import { lazyComponent } from "../parts/lazyComponent.js";
import { preloadWhenIdle } from "../parts/preloadWhenIdle.js";

/** A text as Markdown. Its code is large, and loaded behind that of cards, also for a card that is first opened offline. */
export const Markdown = lazyComponent(() => import("./Markdown.js"));

preloadWhenIdle(Markdown);
