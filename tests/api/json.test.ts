// Bodies that are small and yet take long to work on are refused before they are parsed.

import { expect, test } from "vitest";
import { type Answer, type Client, expectError, ok, testApp } from "../helpers/app.js";

const { as, anonymous, make } = await testApp();

const JSON_TYPE = { "content-type": "application/json" };
const post = <Body>(client: Client, url: string, body: string) =>
  client.send<Body>({ method: "POST", url, body, headers: JSON_TYPE });

const object = (names: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: names }, (_, index) => [`name ${index}`, 1])));

/** The issues of a response over REST, of one over tRPC, or of the first call of a batch. */
function issuesIn({ body }: Answer<unknown>): unknown {
  const { issues, error } = Object(Array.isArray(body) ? body[0] : body);
  return issues ?? error?.data?.issues;
}

const names = object(60_000);
const TOO_MANY_NAMES = [{ path: [], message: "An object in the body has more than 1000 fields" }];

test.each([
  ["over REST", "/api/v1/auth/sign-in", names],
  ["over REST, in a field", "/api/v1/auth/sign-in", `{"email":${names}}`],
  ["over REST, behind small objects and arrays", "/api/v1/auth/sign-in", `{"a":[{"b":{}},[${names}]]}`],
  ["over tRPC", "/trpc/user.signIn", names],
  ["in a batch of one", "/trpc/user.signIn?batch=1", `{"0":${names}}`],
  ["in a batch", "/trpc/user.signIn,user.signIn?batch=1", `{"0":{},"1":${names}}`],
  ["as a batch", "/trpc/user.signIn,user.signIn?batch=1", names],
])("an object with 60,000 names is one issue %s, also without a token", async (_, url, body) => {
  const res = await post(anonymous, url, body);
  expect(res.status).toBe(400);
  expect(issuesIn(res)).toEqual(TOO_MANY_NAMES);
});

test("an object of a file has at most 1000 fields, whether the body is large or not", async () => {
  const ada = await make.user();
  for (const rest of ["", " ".repeat(2 ** 20)]) {
    const res = await post(as(ada), "/api/v1/imports/boards", `{"board":{"lists":[${object(1001)}]}${rest}}`);
    expect(issuesIn(res)).toEqual(TOO_MANY_NAMES);
    const allowed = await post(as(ada), "/api/v1/imports/boards", `{"board":{"lists":[${object(1000)}]}${rest}}`);
    expectError(allowed, "BAD_REQUEST");
    expect(issuesIn(allowed)).not.toEqual(TOO_MANY_NAMES);
  }
});

test("names in strings, items of arrays and fields of other objects do not count as fields of an object", async () => {
  const ada = await make.user();
  const body = JSON.stringify({
    name: '{"a":1,'.repeat(8),
    lists: Array.from({ length: 20 }, (_, index) => `List ${index}, ${'"'.repeat(3)}`),
    labels: Array.from({ length: 20 }, (_, index) => ({ name: `Label ${index}`, colourCode: "#112233" })),
  });
  const { workspace } = await make.workspace({ owner: ada });
  ok(await post(as(ada), `/api/v1/workspaces/${workspace.publicId}/boards`, body));
});

test("a body that may have 1 MiB has at most 65 536 values, in a single call and in a batch", async () => {
  const ada = await make.user();
  const ids = (count: number) => `{"cardPublicIds":[${Array(count).fill("1").join(",")}]}`;
  const tooMany = [{ path: [], message: "The body has more than 65536 values" }];
  const calls = (body: string) => [
    post(as(ada), "/api/v1/cards/bulk/archive", body),
    post(as(ada), "/trpc/card.bulk.archive", body),
    post(as(ada), "/trpc/card.bulk.archive,card.bulk.archive?batch=1", `{"0":${body}}`),
  ];
  for (const res of await Promise.all(calls(ids(65_536)))) {
    expect(res.status).toBe(400);
    expect(issuesIn(res)).toEqual(tooMany);
  }
  for (const res of await Promise.all(calls(ids(65_000)))) expect(issuesIn(res)).not.toEqual(tooMany);
});

test("a small body of an import may have as many values as a large one", async () => {
  const { workspace, owner } = await make.workspace();
  const row = ["A card", ...Array(99).fill("")];
  const input = {
    workspacePublicId: workspace.publicId,
    boardName: "Wide",
    mapping: { title: 0 },
    rows: Array(1000).fill(row),
    dryRun: true,
  };
  const body = JSON.stringify(input);
  expect(body.length).toBeLessThan(2 ** 20);
  expect(ok(await post(as(owner), "/api/v1/imports/csv/boards", body))).toMatchObject({ cardsCreated: 1000 });
  for (const [url, sent] of [
    ["/trpc/import.csv", body],
    ["/trpc/import.csv?batch=1", `{"0":${body}}`],
  ] as const) {
    expect((await post(as(owner), url, sent)).status).toBe(200);
  }
});
