// The TypeScript client, against the real application over a socket.

import { TRPCClientError } from "@trpc/client";
import { expect, test } from "vitest";
import { createClient, WorkBoardError } from "../packages/client/src/client.js";
import { testApp } from "./helpers/app.js";

const { make, listening, logs } = await testApp();
const url = await listening();
const ada = await make.user({ name: "Ada" });
const client = createClient({ url: `${url}/`, token: ada.token });

/** What a failing call throws. */
const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );

/** How many tRPC requests were answered while `run` ran. */
async function requestsDuring(run: () => Promise<unknown>): Promise<number> {
  const before = logs.length;
  await run();
  return logs.slice(before).filter((line) => line.includes('"route":"/trpc/')).length;
}

test("makes a workspace, and reads it back with the types of the router", async () => {
  const created = await client.workspace.create.mutate({ name: "Engines" });
  const read = await client.workspace.get.query({ workspacePublicId: created.publicId });
  const name: string = read.name;
  expect(name).toBe("Engines");
});

test("an event's data has the type of the event", async () => {
  const { publicId: workspacePublicId } = await client.workspace.create.mutate({ name: "Typed" });
  await client.board.create.mutate({ workspacePublicId, name: "Notes", lists: ["Ideas"] });
  const { items } = await client.workspace.events.query({ workspacePublicId });
  const lists = items.flatMap((event) => (event.type === "board.created" ? (event.data.board?.lists ?? []) : []));
  const names: string[] = lists.map(({ name }) => name);
  expect(names).toEqual(["Ideas"]);
  // @ts-expect-error a deleted card has no title
  const wrong = () => items.map((event) => (event.type === "card.deleted" ? event.data.title : null));
  expect(wrong().every((one) => one === null)).toBe(true);
});

test("needs no token for what is public", async () => {
  const { user } = await createClient({ url }).user.signIn.mutate({ email: ada.email, password: ada.password });
  expect(user.name).toBe("Ada");
});

test("sends calls of one tick together, ten at most", async () => {
  const requests = await requestsDuring(async () => {
    const people = await Promise.all(Array.from({ length: 25 }, () => client.user.me.query()));
    expect(people.map((person) => person.publicId)).toEqual(people.map(() => ada.publicId));
  });
  expect(requests).toBe(3);
});

test("sends an import alone, larger than any batch may be", { tags: ["slow"] }, async () => {
  const csv = `Title,Description\n${`Card,${"text ".repeat(200)}\n`.repeat(1200)}`;
  expect(csv.length).toBeGreaterThan(1024 * 1024);
  const requests = await requestsDuring(async () => {
    const [preview] = await Promise.all([client.import.csvPreview.mutate({ csv }), client.user.me.query()]);
    expect(preview.rowCount).toBe(1200);
  });
  expect(requests).toBe(2);
});

test("throws a WorkBoardError with the code, the status and the issues of the service", async () => {
  const error = await failure(client.workspace.create.mutate({ name: "" }));
  expect(error).toBeInstanceOf(WorkBoardError);
  expect(error).toBeInstanceOf(TRPCClientError);
  expect(error).toMatchObject({
    name: "WorkBoardError",
    message: "Invalid input data",
    code: "BAD_REQUEST",
    status: 400,
    issues: [{ path: ["name"], message: expect.any(String) }],
  });
  expect(await failure(createClient({ url }).user.me.query())).toMatchObject({ code: "UNAUTHORIZED", issues: [] });
  expect(await failure(client.import.csvPreview.mutate({ csv: "" }))).toBeInstanceOf(WorkBoardError);
});

test("throws a WorkBoardError without a code when the service does not answer", async () => {
  const error = await failure(createClient({ url: "http://127.0.0.1:1" }).user.me.query());
  expect(error).toBeInstanceOf(WorkBoardError);
  expect(error).toMatchObject({ code: null, status: null, issues: [] });
});

test("asks a token function before each request, and sends none where it gives null", async () => {
  const max = await make.user({ name: "Max" });
  const tokens = [ada.token, max.token, null];
  const rotating = createClient({ url, token: async () => tokens.shift() });
  expect((await rotating.user.me.query()).name).toBe("Ada");
  expect((await rotating.user.me.query()).name).toBe("Max");
  expect(await failure(rotating.user.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
});

test("sends the headers that it is given, beside the token", async () => {
  const headers = { "X-Request-Id": `client-${Date.now()}` };
  expect((await createClient({ url, token: ada.token, headers }).user.me.query()).publicId).toBe(ada.publicId);
  expect(logs.filter((line) => line.includes(headers["X-Request-Id"]))).not.toEqual([]);
});

test("sends its requests through the fetch that it is given, imports too", async () => {
  const sent: string[] = [];
  const own: typeof fetch = (input, init) => {
    sent.push(new URL(String(input)).pathname);
    return fetch(input, init);
  };
  const through = createClient({ url, token: ada.token, fetch: own });
  await through.user.me.query();
  await through.import.csvPreview.mutate({ csv: "Title\nOne" });
  expect(sent).toEqual(["/trpc/user.me", "/trpc/import.csvPreview"]);
});
