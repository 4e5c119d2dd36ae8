// Texts that people wrote in Markdown. Loaded with the first one.

import DOMPurify from "dompurify";
import { type MouseEvent, useContext, useMemo } from "react";
import { useLocation } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { BoardContext } from "../board/context.js";
import { htmlOf } from "./boundedMarkdown.js";

/** The elements that Markdown makes. Pictures become links: those of other hosts are not loaded. */
const ALLOWED_TAGS = [
  ...["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"],
  ...["strong", "em", "del", "a", "span", "table", "thead", "tbody", "tr", "th", "td"],
];

/** Shows mentions: that of the reader in ink. */
function markMentions(fragment: DocumentFragment, meId: string | undefined): void {
  for (const mention of fragment.querySelectorAll<HTMLElement>("[data-member]")) {
    mention.className = mention.dataset.member === meId ? "mention me" : "mention";
    mention.removeAttribute("data-member");
  }
}

/** Makes links of the numbers of cards, such as `WB-12`. They lead to the search, which opens the card. */
function linkCards(fragment: DocumentFragment, prefix: string): void {
  const quoted = new RegExp(`(?<![\\p{L}\\p{N}-])${prefix}-[1-9]\\d{0,8}(?![\\p{L}\\p{N}-])`, "giu");
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = texts.nextNode(); node instanceof Text; node = texts.nextNode()) {
    if (node.parentElement?.closest("a, code") == null) found.push(node);
  }
  for (const node of found) {
    // From the end, because a split leaves what is before it.
    for (const { 0: key, index } of [...node.data.matchAll(quoted)].toReversed()) {
      const name = node.splitText(index);
      name.splitText(key.length);
      const link = document.createElement("a");
      link.className = "link";
      link.href = `/search?jump=${key.toUpperCase()}`;
      name.replaceWith(link);
      link.append(name);
    }
  }
}

/** The pages that texts lead to: boards, cards, and the search for the number of a card. */
const OWN_PAGE = /^\/(?:boards\/|cards\/|search$)/;

function safe(text: string, prefix: string | undefined, meId: string | undefined): string {
  const fragment = DOMPurify.sanitize(htmlOf(text), {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    link.className = "link";
    if (link.origin === location.origin && OWN_PAGE.test(link.pathname)) continue;
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  // Headings of a text stand below those of the page.
  for (const heading of fragment.querySelectorAll("h1, h2, h4, h5, h6")) {
    const lower = document.createElement("h3");
    lower.replaceChildren(...heading.childNodes);
    heading.replaceWith(lower);
  }
  markMentions(fragment, meId);
  if (prefix !== undefined) linkCards(fragment, prefix);
  for (const code of fragment.querySelectorAll("pre")) code.tabIndex = 0;
  const holder = document.createElement("div");
  holder.append(fragment);
  return holder.innerHTML;
}

/** The same, or null if the text cannot be rendered, or not in a time that its length explains. */
function safeOrNull(...text: Parameters<typeof safe>): string | null {
  try {
    return safe(...text);
  } catch {
    return null;
  }
}

/** A text as people meant it to look, without anything that could run or load. Numbers of cards of the workspace are links. */
export default function Markdown({ text }: { text: string }) {
  const shown = useContext(BoardContext);
  const board = shown?.followed.state().board;
  const meId = shown?.meId;
  const prefix = board?.workspace.cardPrefix;
  const html = useMemo(() => safeOrNull(text, prefix, meId), [text, prefix, meId]);
  const [, navigate] = useLocation();
  if (html === null) {
    return (
      <div className="prose plain" dir="auto">
        {text}
      </div>
    );
  }
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link?.target !== "" || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const key = link.textContent?.toUpperCase();
    const here = Object.values(board?.cards ?? {}).find(({ cardNumber }) => `${prefix}-${cardNumber}` === key);
    navigate(here === undefined ? link.pathname + link.search + link.hash : `/cards/${here.publicId}`, {
      state: FROM_PAGE,
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: its links are clicked, also by Enter
    <div className="prose" dir="auto" onClick={onClick} dangerouslySetInnerHTML={{ __html: html }} />
  );
}
