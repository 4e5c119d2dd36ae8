// OIDC_PROVIDERS: what it takes, and that a wrong value stops the start with one line that names the place (capabilities section 10).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "../src/config.js";

const folder = mkdtempSync(join(tmpdir(), "oidc-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Stands in every wrong value, so that its echo is found. */
const SECRET = "s3cr3t";

const PROVIDER = {
  id: "example",
  name: "Example",
  issuer: "https://id.example.org",
  clientId: "board",
  clientSecret: SECRET,
  redirectUris: ["https://board.example.org/callback"],
};

const read = (providers: unknown) => readConfig({ OIDC_PROVIDERS: JSON.stringify(providers) }).oidcProviders;

test("a provider has the scopes of a sign-in, links nothing by address and admits every domain unless it says so", () => {
  expect(read([PROVIDER])).toEqual([{ ...PROVIDER, scopes: ["openid", "email", "profile"], linkByEmail: false }]);
});

test("a path leads to a file with the JSON", () => {
  const path = join(folder, "providers.json");
  writeFileSync(path, JSON.stringify([PROVIDER]));
  expect(readConfig({ OIDC_PROVIDERS: path }).oidcProviders).toEqual(read([PROVIDER]));
});

test.each([
  ["scopes as a list", { scopes: ["openid", "email"] }, { scopes: ["openid", "email"] }],
  ["scopes as text", { scopes: " openid  email " }, { scopes: ["openid", "email"] }],
  ["an issuer on this machine without TLS", { issuer: "http://127.0.0.1:8080/realm" }, {}],
  ["the same by name", { issuer: "http://localhost:8080" }, {}],
  ["the same by an address of version 6", { issuer: "http://[::1]:8080" }, {}],
  ["a redirect URI of an application", { redirectUris: ["org.example.board:/callback"] }, {}],
  ["domains in capitals", { allowedDomains: ["Example.ORG"] }, { allowedDomains: ["example.org"] }],
  ["linking by address", { linkByEmail: true }, {}],
])("takes %s", (_, fields, expected) => {
  expect(read([{ ...PROVIDER, ...fields }])).toEqual([expect.objectContaining({ ...fields, ...expected })]);
});

function messageOf(value: string): string {
  try {
    readConfig({ OIDC_PROVIDERS: value });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("was taken");
}

describe("stops the start with one line and without the value:", () => {
  test.each([
    [`/no/such/${SECRET}`, "OIDC_PROVIDERS must be JSON, or the path of a file that can be read"],
    [folder, "OIDC_PROVIDERS must be JSON, or the path of a file that can be read"],
    [`[{"clientSecret": "${SECRET}`, "OIDC_PROVIDERS is not valid JSON"],
    [`{"clientSecret": "${SECRET}"}`, "OIDC_PROVIDERS must be a list of providers"],
    [`["${SECRET}"]`, "OIDC_PROVIDERS [0] must be an object"],
    [JSON.stringify([PROVIDER, PROVIDER]), "OIDC_PROVIDERS has an id twice"],
  ])("%s", (value, message) => {
    expect(messageOf(value)).toBe(message);
  });

  test.each([
    ["id", undefined],
    ["id", "Ex ample"],
    ["name", ""],
    ["issuer", `http://${SECRET}.example.org`],
    ["issuer", `http://localhost.${SECRET}.example.org`],
    ["issuer", `http://127.0.0.1.${SECRET}.example.org`],
    ["issuer", `http://${SECRET}.localhost`],
    ["issuer", `ftp://${SECRET}`],
    ["issuer", `https://${SECRET}@id.example.org`],
    ["issuer", `https://id.example.org/?${SECRET}`],
    ["clientId", 1],
    ["clientSecret", undefined],
    ["scopes", ["email", SECRET]],
    ["scopes", 1],
    ["redirectUris", []],
    ["redirectUris", SECRET],
    ["allowedDomains", []],
    ["linkByEmail", "true"],
  ])("%s %j", (field, value) => {
    const message = messageOf(JSON.stringify([{ ...PROVIDER, [field]: value }]));
    expect(message).toMatch(new RegExp(`^OIDC_PROVIDERS \\[0\\]\\.${field} must [^\n]+$`));
    expect(message).not.toContain(SECRET);
  });

  test.each([
    ["redirectUris", `https://board.example.org/?${SECRET}`],
    ["redirectUris", "https://board.example.org/#"],
    ["redirectUris", `javascript:${SECRET}`],
    ["redirectUris", `/${SECRET}`],
    ["allowedDomains", `@${SECRET}`],
    ["allowedDomains", "https://example.org"],
  ])("%s [%j]", (field, value) => {
    const message = messageOf(JSON.stringify([{ ...PROVIDER, [field]: [value] }]));
    expect(message).toMatch(new RegExp(`^OIDC_PROVIDERS \\[0\\]\\.${field}\\[0\\] must [^\n]+$`));
    expect(message).not.toContain(SECRET);
  });

  test("a field that there is not", () => {
    expect(messageOf(JSON.stringify([{ ...PROVIDER, linkByMail: true }]))).toBe(
      "OIDC_PROVIDERS [0] has an unknown field: linkByMail",
    );
  });
});

test("PASSWORD_SIGN_IN=off holds once there is a provider: otherwise nobody could sign in", () => {
  const OIDC_PROVIDERS = JSON.stringify([PROVIDER]);
  expect(readConfig({ PASSWORD_SIGN_IN: "off" }).passwordSignIn).toBe(true);
  expect(readConfig({ PASSWORD_SIGN_IN: "off", OIDC_PROVIDERS }).passwordSignIn).toBe(false);
  expect(readConfig({ OIDC_PROVIDERS }).passwordSignIn).toBe(true);
});
