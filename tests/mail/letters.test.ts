// How mail is laid out: whatever people call themselves and their workspaces, it stays text, and on its line.

import { expect, test } from "vitest";
import { html } from "../../src/api/html.js";
import { laidOut } from "../../src/mail/layout.js";
import { inLine, say } from "../../src/mail/letters.js";
import { cardLinkTo, inviteLinkTo, linkTo, unsubscribeCallOf } from "../../src/mail/links.js";
import { TEMPLATES } from "../../src/mail/templates/index.js";

const OWN = { publicUrl: "https://board.example.org", appUrl: null, web: true };

test("the template tag escapes whatever is put into it, but for its own markup", () => {
  const evil = `<img src=x onerror="alert('1')">&`;
  expect(html`<p title="${evil}">${evil}</p>`.markup).toBe(
    `<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</p>`,
  );
  expect(html`<ul>${[html`<li>${"<"}</li>`, html`<li>${2}</li>`]}</ul>`.markup).toBe(
    "<ul><li>&lt;</li><li>2</li></ul>",
  );
});

test("a text of somebody else stays on its line, without characters that turn or hide it, and is cut", () => {
  expect(inLine("  Ada\r\nBcc: eve@example.org\u2028\u0000x ")).toBe("Ada Bcc: eve@example.org x");
  expect(inLine("invoice\u202efdp.exe")).toBe("invoice fdp.exe");
  expect([...inLine("😀".repeat(300))]).toHaveLength(200);
  expect(say`${"a\nb"} joined ${3} boards`).toBe("a b joined 3 boards");
});

test("a name becomes neither a link nor an encoded word, and an address of our own stays one", () => {
  const names = {
    "https://evil.example/x": "https:\u200b//evil.\u200bexample/x",
    "www.evil2.example": "www.\u200bevil2.\u200bexample",
    "1.2.3.4": "1.\u200b2.\u200b3.\u200b4",
    "bücher.рф": "bücher.\u200bрф",
    "eve@evil-.example": "eve@evil-.\u200bexample",
    "=?utf-8?B?RXZl?=": "=\u200b?utf-8?B?RXZl?=",
    "Ada B. Lovelace, Ph.D.": "Ada B. Lovelace, Ph.\u200bD.",
    "why=? Q.E.D...": "why=\u200b? Q.\u200bE.\u200bD...",
  };
  for (const [name, spoken] of Object.entries(names)) {
    expect(say`${name} joined`).toBe(`${spoken} joined`);
    expect(say`${say`${name} joined`} today`).toBe(`${spoken} joined today`);
    const {
      subject,
      text,
      html: page,
    } = laidOut(TEMPLATES.invitation({ code: "c", workspaceName: name, inviterName: name }, OWN));
    expect(subject).toBe(`${spoken} invited you to ${spoken}`);
    expect(text).toContain(`${spoken} invited you to work together in ${spoken}.`);
    expect(page).toContain(spoken);
    for (const part of [subject, text, page]) expect(part).not.toContain(`${name} invited`);
    expect(text).toContain("https://board.example.org/invite/c");
  }
  const { text } = laidOut(TEMPLATES.emailChanged({ token: "t", newEmail: "ada@new.example.org" }, OWN));
  expect(text).toContain("the address ada@new.example.org.");
});

test("an invitation says the same as text and as HTML, with names that try to be more than names", () => {
  const data = {
    code: "4kTq8hJ3",
    workspaceName: "<b>Acme</b>\n\nhttps://evil.example",
    inviterName: "Eve\r\nBcc: x@y",
  };
  const letter = TEMPLATES.invitation?.(data, OWN);
  if (letter === undefined) throw new Error("There is no template of invitations");
  const { subject, text, html: page } = laidOut(letter);
  expect(subject).toBe("Eve Bcc: x@y invited you to <b>Acme</b> https:\u200b//evil.\u200bexample");
  expect(text).toContain("Accept the invitation:\nhttps://board.example.org/invite/4kTq8hJ3");
  expect(text.split("\n")).not.toContain("https://evil.example");
  expect(page).toContain("&lt;b&gt;Acme&lt;/b&gt;");
  expect(page).not.toContain("<b>");
  expect(page).toContain(`href="https://board.example.org/invite/4kTq8hJ3"`);
});

test("links lead to the application where there is one, else to the page, tokens stand in the fragment, and calls stay with the service", () => {
  const app = { ...OWN, appUrl: "https://app.example.org" };
  expect(linkTo(OWN, "reset", "a+b")).toBe("https://board.example.org/account/reset#token=a%2Bb");
  expect(linkTo(app, "confirm", "t")).toBe("https://app.example.org/account/confirm#token=t");
  expect(inviteLinkTo(app, "c0de")).toBe("https://app.example.org/invite/c0de");
  expect(cardLinkTo(app, "aBcDe1234567")).toBe("https://app.example.org/cards/aBcDe1234567");
  expect(cardLinkTo(OWN, "aBcDe1234567")).toBe("https://board.example.org/cards/aBcDe1234567");
  expect(cardLinkTo({ ...OWN, web: false }, "aBcDe1234567")).toBeNull();
  expect(unsubscribeCallOf(app, "t")).toBe("https://board.example.org/api/v1/mail/unsubscribe?token=t");
});

test("the notice of a restored address names what remains, each name on its line", () => {
  const remaining = { tokens: ["CI\nsecond line"], providers: ["Plain"], hasSecondFactor: true };
  const { text, html: page } = laidOut(TEMPLATES.notice({ about: "emailRestored", remaining }, OWN));
  for (const line of ["Personal token: CI second line", "Sign-in with Plain", "Two-factor authentication"]) {
    expect(text).toContain(line);
    expect(page).toContain(line);
  }
  const none = { tokens: [], providers: [], hasSecondFactor: false };
  expect(laidOut(TEMPLATES.notice({ about: "emailRestored", remaining: none }, OWN)).text).toContain(
    "no personal token, no identity and no second factor",
  );
});
