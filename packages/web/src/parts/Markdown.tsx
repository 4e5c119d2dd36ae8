// Texts that people wrote in Markdown. Loaded with the first one.

import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";

/** The elements that Markdown makes. Pictures are left out: those of other hosts are not loaded. */
const ALLOWED_TAGS = [
  ...["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"],
  ...["strong", "em", "del", "a", "table", "thead", "tbody", "tr", "th", "td"],
];

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** HTML in a text is shown as it was typed: parsed, its styles and handlers would count as violations of the page's policy. */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  renderer: { html: ({ text }) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "") },
});

function safe(text: string): string {
  const html = markdown.parse(text, { async: false });
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    link.className = "link";
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  // Headings of a text stand below those of the page.
  for (const heading of fragment.querySelectorAll("h1, h2, h4, h5, h6")) {
    const lower = document.createElement("h3");
    lower.replaceChildren(...heading.childNodes);
    heading.replaceWith(lower);
  }
  for (const code of fragment.querySelectorAll("pre")) code.tabIndex = 0;
  const holder = document.createElement("div");
  holder.append(fragment);
  return holder.innerHTML;
}

/** A text as people meant it to look, without anything that could run or load. */
export default function Markdown({ text }: { text: string }) {
  const html = useMemo(() => safe(text), [text]);
  return <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}
