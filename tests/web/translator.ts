// A browser that translates the page, as Chrome and Edge do: it replaces the node of each text, also of those that come later, by
// elements with another node.

import type { BrowserContext, Page } from "playwright-core";

/** Runs in the page, whose types tests do not have. Each text is its own translation, so that tests find it. */
const TRANSLATOR = `
  const replaced = new Map();
  const replace = (node) => {
    const parent = node.parentElement;
    if (parent?.closest("body") == null || node.data.trim() === "") return;
    if (parent.closest("script, style, textarea, svg, font") !== null) return;
    const outer = document.createElement("font");
    outer.appendChild(document.createElement("font")).append(node.data);
    node.replaceWith(outer);
    replaced.set(node, { shown: outer, text: node.data });
  };
  const replaceIn = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = root instanceof Text ? [root] : [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.forEach(replace);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(replaceIn);
  }).observe(document, { childList: true, subtree: true });
  globalThis.staleTexts = () =>
    [...replaced]
      .filter(([node, { shown, text }]) => shown.isConnected && node.data !== text)
      .map(([node, { text }]) => text + ", now " + node.data);
`;

/** Has a browser translate its pages. */
export const translate = (context: BrowserContext) => context.addInitScript(`{${TRANSLATOR}}`);

/** Texts that still show what they were before they changed: React has changed nodes that are no longer in the page. */
export const staleTexts = (page: Page): Promise<string[]> => page.evaluate("staleTexts()");
