// A browser that translates the page, as Chrome and Edge do: it replaces the node of each text, also of those that come later, by
// elements with another node.

import type { BrowserContext, Page } from "playwright-core";

declare global {
  /** Texts that React has changed in nodes that are no longer in the page. */
  var changedTexts: () => string[];
}

/** Has a browser translate each text by itself, so that tests find it. */
export const translate = (context: BrowserContext) => context.addInitScript(replaceTexts);

/** Texts that still show what they were before they changed. */
export const staleTexts = (page: Page): Promise<string[]> => page.evaluate(() => globalThis.changedTexts());

function replaceTexts(): void {
  const replaced = new Map<Text, { shown: HTMLElement; text: string }>();
  const replace = (node: Text) => {
    const parent = node.parentElement;
    if (parent?.closest("body") == null || node.data.trim() === "") return;
    if (parent.closest("script, style, textarea, svg, font") !== null) return;
    const [outer, inner] = [document.createElement("font"), document.createElement("font")];
    inner.append(node.data);
    outer.append(inner);
    node.replaceWith(outer);
    replaced.set(node, { shown: outer, text: node.data });
  };
  const replaceIn = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = root instanceof Text ? [root] : [];
    while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
    texts.forEach(replace);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(replaceIn);
  }).observe(document, { childList: true, subtree: true });
  globalThis.changedTexts = () =>
    [...replaced]
      .filter(([node, { shown, text }]) => shown.isConnected && node.data !== text)
      .map(([node, { text }]) => `${text}, now ${node.data}`);
}
