import { describe, expect, test } from "vitest";
import { contentsOf, expectError, expectTrpcError, ok, testApp } from "../helpers/app.js";

const configured = await testApp({
  PUBLIC_URL: "https://boards.example.org/app",
  TRELLO_APP_KEY: "key&of=trello",
  GITHUB_CLIENT_ID: "Iv1.client",
});
const { as, anonymous, make, db, trpcClient } = configured;
const bare = await configured.another({ TRELLO_APP_KEY: "", GITHUB_CLIENT_ID: "" });

const PATH = "/integration/authorize";

const addressOf = async (query = "") => new URL(ok(await as(await make.user()).get<{ url: string }>(PATH + query)).url);

describe("the address", () => {
  test("Trello's asks for a token that may read, and leads back to the public address", async () => {
    const { origin, pathname, searchParams } = await addressOf("?provider=trello");
    const { state, return_url, ...rest } = Object.fromEntries(searchParams);

    expect(origin + pathname).toBe("https://trello.com/1/authorize");
    expect(rest).toEqual({
      key: "key&of=trello",
      name: "Work board",
      scope: "read",
      expiration: "1day",
      response_type: "token",
      callback_method: "fragment",
    });
    expect(return_url).toBe(`https://boards.example.org/app/integration/trello?state=${state}`);
  });

  test("GitHub's asks for a code for this client, and leads back to the public address", async () => {
    const { origin, pathname, searchParams } = await addressOf("?provider=github");
    const { state, ...rest } = Object.fromEntries(searchParams);

    expect(origin + pathname).toBe("https://github.com/login/oauth/authorize");
    expect(rest).toEqual({
      client_id: "Iv1.client",
      redirect_uri: "https://boards.example.org/app/integration/github",
      scope: "read:project",
    });
    expect(state).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test("without a provider it is Trello's", async () => {
    expect((await addressOf()).host).toBe("trello.com");
  });

  test("its state is another each time, and the answer has nothing else", async () => {
    const user = await make.user();
    const states = new Set<string | null>();
    for (let n = 0; n < 20; n += 1) {
      const body = ok(await as(user).get<{ url: string }>(`${PATH}?provider=${n % 2 ? "github" : "trello"}`));
      expect(Object.keys(body)).toEqual(["url"]);
      states.add(new URL(body.url).searchParams.get("state"));
    }
    expect(states.size).toBe(20);
    for (const state of states) expect(state).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });
});

describe("who may ask", () => {
  test("any token, a read token, a bound one and an accountless guest's too; it changes nothing", async () => {
    const { owner, workspace } = await make.workspace();
    const { inviteCode } = ok(
      await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`),
    );
    const joined = await anonymous.post("/invites/accept", { inviteCode });
    const people = [
      { token: joined.headers["x-access-token"] ?? "" },
      await make.token(owner, { scope: "read" }),
      await make.token(owner, { workspacePublicId: workspace.publicId }),
    ];
    const before = await contentsOf(db);
    for (const person of people) ok(await as(person).get(PATH));
    expect(await contentsOf(db)).toEqual(before);
  });

  test("nobody without a token", async () => {
    expectError(await anonymous.get(PATH), "UNAUTHORIZED");
    expectError(await anonymous.get(`${PATH}?provider=gitlab`), "UNAUTHORIZED");
  });
});

describe("refusals", () => {
  test("a provider that the operator has not set up is not found", async () => {
    const user = await make.user();
    for (const query of ["", "?provider=trello", "?provider=github"]) {
      expectError(await bare.as(user).get(PATH + query), "NOT_FOUND");
    }
    await expectTrpcError(bare.trpcClient(user).import.authorizeUrl.query({ provider: "github" }), "NOT_FOUND");
  });

  test("one provider does not stand in for another", async () => {
    const user = await make.user();
    const half = await configured.another({ TRELLO_APP_KEY: "" });
    expectError(await half.as(user).get(PATH), "NOT_FOUND");
    ok(await half.as(user).get(`${PATH}?provider=github`));
  });

  test("an unknown provider is BAD_REQUEST that names it", async () => {
    const user = await make.user();
    for (const query of ["?provider=gitlab", "?provider=Trello", "?provider=", "?provider=trello&provider=github"]) {
      expectError(await as(user).get(PATH + query), "BAD_REQUEST", "provider");
    }
  });

  test("over tRPC it answers the same", async () => {
    const { url } = await trpcClient(await make.user()).import.authorizeUrl.query({});
    expect(new URL(url).host).toBe("trello.com");
  });
});
