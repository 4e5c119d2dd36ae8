// Addresses with letters beyond ASCII: the domain in ASCII, the local part in NFC and lower case, so that two spellings are one account.

import { expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { expectError, type Fields, ok, testApp, unique } from "../helpers/app.js";
import { bodyFor } from "../import/imports.js";

const { as, anonymous, make } = await testApp();
const password = "correct horse battery";
const name = "Jörg";

const signUp = (email: string) =>
  anonymous.post<{ user: Fields; accessToken: string }>("/auth/sign-up", { name, email, password });
const signIn = (email: string) => anonymous.post("/auth/sign-in", { email, password });

/** A name that no other test has. */
const fresh = () => unique("müller").replace(" ", "").toLowerCase();

test("two spellings of an address are one account, which shows the normal one", async () => {
  const local = fresh();
  const normal = `${local}@xn--bcher-kva.example`;
  const { user } = ok(await signUp(`${local}@bücher.example`));
  expect(user.email).toBe(normal);
  for (const spelling of [
    normal,
    `${local}@BÜCHER.example`,
    `${local}@bücher.example`.normalize("NFD"),
    ` ${local.toUpperCase()}@Bücher.Example `,
    `${local}@XN--BCHER-KVA.example`,
    `${local}@bücher。example`,
  ]) {
    ok(await signIn(spelling));
    expectError(await signUp(spelling), "BAD_REQUEST", "email");
  }
});

test.each([
  "ada@bücher..example",
  "ada lovelace@bücher.example",
  "ada\u202e@bücher.example",
  "ada\u200b@bücher.example",
  "😀@bücher.example",
  "@bücher.example",
  "ada@",
  "ü",
  `${"ü".repeat(65)}@bücher.example`,
  `ada@${"ü".repeat(64)}.example`,
  `ada@${"ü.".repeat(20_000)}example`,
])("what is no address stays none: case %#", async (email) => {
  expectError(await signUp(email), "BAD_REQUEST", "email");
});

test("an invitation, an import and a mention find the account by another spelling", async () => {
  const local = fresh();
  const { accessToken } = ok(await signUp(`${local}@bücher.example`));
  const { board, workspace, owner, list } = await make.list();
  const invited = await as(owner).post<{ inviteLink: string }>(`/workspaces/${workspace.publicId}/members/invite`, {
    email: `${local.normalize("NFD").toUpperCase()}@BÜCHER.example`,
  });
  const inviteCode = ok(invited).inviteLink.split("/").at(-1);
  ok(await as({ token: accessToken }).post("/invites/accept", { inviteCode }));
  ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "workspace" }));

  const rows = [["Imported", "Ideas", `${local.toUpperCase()}@bücher.example`]];
  const wanted = { boardPublicId: board.publicId, mapping: { title: 0, list: 1, assignee: 2 } };
  const imported = ok(await as(owner).post<Fields>("/imports/csv/boards", bodyFor(workspace, rows, wanted)));
  expect(imported).toMatchObject({ cardsCreated: 1, warnings: [] });

  const { publicId } = ok(await as(owner).post<Fields>("/cards", { listPublicId: list.publicId, title: "Look" }));
  const text = `@${local.normalize("NFD")}@bücher.example and @${owner.email}です`;
  ok(await as(owner).post(`/cards/${publicId}/comments`, { comment: text }));
  const items = ok(await as({ token: accessToken }).get<Fields[]>("/notifications"));
  expect(items.map(({ type }) => type)).toContain("mention");
});

test("a provider's allowed domain may be written with its letters", () => {
  const provider = {
    id: "p",
    name: "P",
    issuer: "https://p.example",
    clientId: "c",
    clientSecret: "s",
    redirectUris: ["https://board.example/callback"],
    allowedDomains: ["Bücher.example"],
  };
  const { oidcProviders } = readConfig({ OIDC_PROVIDERS: JSON.stringify([provider]) });
  expect(oidcProviders[0]?.allowedDomains).toEqual(["xn--bcher-kva.example"]);
});
