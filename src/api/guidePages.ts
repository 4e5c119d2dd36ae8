// Markdown as pages for browsers. Headings have the names that GitHub gives them, so that links to them work in both places.

import { Marked } from "marked";
import { Html, html } from "./html.js";

/** The parts of a page. */
interface PageParts {
  /** The Markdown. Its first line is its title. */
  text: string;
  /** The target of a link or picture, as an address relative to the page; null if there is none. */
  resolve(to: string): string | null;
  /** Addresses relative to the page: those of all guides, of the index, of other pages, and of the Markdown, if it is served. */
  guides: readonly { title: string; url: string; isCurrent: boolean }[];
  index: string;
  reference: string;
  style: string;
  icon: string;
  source: string | null;
}

interface Heading {
  depth: number;
  anchor: string;
  content: Html;
}

/** A heading's name, as GitHub makes it: the second of the same text gets `-1`. */
function anchorOf(text: string, others: readonly Heading[]): string {
  const anchor = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
  const isTaken = (name: string) => others.some((heading) => heading.anchor === name);
  let count = 0;
  while (isTaken(count === 0 ? anchor : `${anchor}-${count}`)) count += 1;
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Renders the text and collects its headings. What scrolls can be reached by keyboard. HTML in the text is shown as text. */
function render(text: string, resolve: PageParts["resolve"]): { body: Html; headings: Heading[] } {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }) {
        const content = new Html(this.parser.parseInline(tokens));
        const heading = { depth, anchor: anchorOf(source, headings), content };
        headings.push(heading);
        const linked = depth === 1 ? content : html`<a href="#${heading.anchor}">${content}</a>`;
        return html`<h${depth} id="${heading.anchor}">${linked}</h${depth}>\n`.markup;
      },
      link({ href, tokens }) {
        const content = new Html(this.parser.parseInline(tokens));
        const url = resolve(href);
        return (url === null ? content : html`<a href="${url}">${content}</a>`).markup;
      },
      image({ href, text: description }) {
        const url = resolve(href);
        return (url === null ? html`${description}` : html`<img src="${url}" alt="${description}" loading="lazy">`)
          .markup;
      },
      html: ({ text: source }) => html`${source}`.markup,
      code: ({ text: source }) => html`<pre tabindex="0"><code>${source}</code></pre>\n`.markup,
      table({ header, rows }) {
        const cell = ({ tokens }: (typeof header)[number], name: "th" | "td") =>
          html`<${name}>${new Html(this.parser.parseInline(tokens))}</${name}>`;
        // A heading without text is no heading to screen readers.
        const head = header.map((one) => cell(one, one.tokens.length === 0 ? "td" : "th"));
        const body = rows.map((row) => html`<tr>${row.map((one) => cell(one, "td"))}</tr>\n`);
        return html`<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`
          .markup;
      },
    },
  });
  return { body: new Html(marked.parse(text, { async: false })), headings };
}

/** From this many sections on, a page begins with a list of them. */
const LISTED_SECTIONS = 3;

function contentsOf(headings: readonly Heading[]): Html {
  const sections = headings.filter(({ depth }) => depth === 2);
  if (sections.length < LISTED_SECTIONS) return html``;
  const items = sections.map(({ anchor, content }) => html`<li><a href="#${anchor}">${content}</a></li>\n`);
  return html`<details><summary>On this page</summary>\n<ul>\n${items}</ul></details>\n`;
}

/** The whole page. It runs no script, and nothing of it is inline. */
export function pageOf({ text, resolve, guides, index, reference, style, icon, source }: PageParts): string {
  const end = text.indexOf("\n");
  const title = text.slice(0, end).replace(/^# /, "");
  const top = render(text.slice(0, end), resolve);
  const { body, headings } = render(text.slice(end), resolve);
  const items = guides.map(
    (guide) =>
      html`<li><a href="${guide.url}"${guide.isCurrent ? html` aria-current="page"` : ""}>${guide.title}</a></li>\n`,
  );
  const markdown = source === null ? html`` : html`<a href="${source}">Markdown</a>\n`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · work-board</title>
<link rel="stylesheet" href="${style}">
<link rel="icon" type="image/svg+xml" href="${icon}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a href="${index}">work-board guides</a>
<span class="other">${markdown}<a href="${reference}">API reference</a></span>
</header>
<nav aria-label="Guides">
<ul>
${items}</ul>
</nav>
<main id="content" tabindex="-1">
${top.body}${contentsOf(headings)}${body}</main>
</body>
</html>
`.markup;
}
