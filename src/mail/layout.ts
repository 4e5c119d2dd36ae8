// Lays a letter out: as plain text, and as HTML whose styles stand in its elements, because mail programs drop style sheets.

import { type Html, html } from "../api/html.js";
import { type Block, inLine, type Letter, type Link } from "./letters.js";

/** The parts of a mail. */
export interface LaidOut {
  subject: string;
  text: string;
  html: string;
}

const isLink = (block: Block): block is { button: Link } => "button" in block;

function textOf(block: Block): string {
  if (isLink(block)) return `${block.button.label}:\n${block.button.url}`;
  if ("paragraph" in block) return block.paragraph;
  return block.items.map(({ text, url }) => (url === null ? `- ${text}` : `- ${text}\n  ${url}`)).join("\n");
}

const PARAGRAPH = "margin:0 0 16px;font-size:16px;line-height:24px;color:#1f2933";
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:6px;background:#1f6feb;color:#ffffff;font-size:16px;line-height:24px;text-decoration:none";
const SMALL = "margin:0 0 8px;font-size:13px;line-height:20px;color:#52606d;overflow-wrap:anywhere";
const LINK = "color:#0b5cc7";

function htmlOf(block: Block): Html {
  if (isLink(block)) {
    const { label, url } = block.button;
    return html`<p style="margin:0 0 16px"><a href="${url}" style="${BUTTON}">${label}</a></p>
<p style="${SMALL}">If the button does not work, open this address: ${url}</p>
`;
  }
  if ("paragraph" in block) return html`<p style="${PARAGRAPH}">${block.paragraph}</p>\n`;
  const items = block.items.map(({ text, url }) =>
    url === null
      ? html`<li style="margin:0 0 8px">${text}</li>\n`
      : html`<li style="margin:0 0 8px"><a href="${url}" style="${LINK}">${text}</a></li>\n`,
  );
  return html`<ul style="margin:0 0 16px;padding:0 0 0 20px;font-size:16px;line-height:24px;color:#1f2933">${items}</ul>\n`;
}

function page({ blocks, reason, unsubscribe }: Letter, subject: string): Html {
  const end =
    unsubscribe === undefined
      ? html``
      : html`<p style="${SMALL}"><a href="${unsubscribe.url}" style="${LINK}">${unsubscribe.label}</a></p>\n`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f5f7fa;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:8px"><tr><td style="padding:32px">
${blocks.map(htmlOf)}<p style="margin:24px 0 8px;border-top:1px solid #e4e7eb;padding:16px 0 0;font-size:13px;line-height:20px;color:#52606d">${reason}</p>
${end}</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The subject, the text and the HTML of a letter. The subject is one line whatever it was made of. */
export function laidOut(letter: Letter): LaidOut {
  const subject = inLine(letter.subject);
  const { unsubscribe } = letter;
  const end = unsubscribe === undefined ? "" : `\n${textOf({ button: unsubscribe })}\n`;
  const text = `${letter.blocks.map(textOf).join("\n\n")}\n\n-- \n${letter.reason}\n${end}`;
  return { subject, text, html: page(letter, subject).markup };
}
