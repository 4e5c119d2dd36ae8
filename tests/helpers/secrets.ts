// What no line of the log holds, whatever a test does.

import { expect } from "vitest";

/** Tokens, secrets of webhooks, links with a token or an invite code, secrets of second factors, recovery codes, logins in URLs. */
const SECRETS =
  /\bwb_[\w-]{20,}|\bwhsec_[\w+/=]{8,}|[#?&]token=|\/invite\/\w{12,}|otpauth:|\b[2-9a-hjkmnp-z]{4}(?:-[2-9a-hjkmnp-z]{4}){3}\b|:\/\/[^\s"/@]+:[^\s"/@]+@|correct horse battery/;

/** Fails where a line of a log holds a secret. */
export function expectNoSecrets(lines: readonly string[]): void {
  expect(lines.filter((line) => SECRETS.test(line))).toEqual([]);
}
