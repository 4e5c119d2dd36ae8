// How often the client sends a mutation, and when: with the network, and not before the service wants it.

import { expect, onTestFinished, test, vi } from "vitest";
import { createClient, WorkBoardError } from "../packages/client/src/client.js";
import { testApp } from "./helpers/app.js";
import { browserEvents } from "./helpers/browserEvents.js";

const { make, listening } = await testApp();
const url = await listening();
const ada = await make.user({ name: "Ada" });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );

/** A client of Ada whose requests pass through `between`, with the key of every request that was sent. */
function watched(between: (send: () => Promise<Response>, tried: number) => Promise<Response>) {
  const sent: (string | null)[] = [];
  const through: typeof fetch = (input, init) => {
    sent.push(new Headers(init?.headers).get("idempotency-key"));
    return between(() => fetch(input, init), sent.length);
  };
  return { sent, client: createClient({ url, token: ada.token, fetch: through }) };
}

test("a mutation is sent five more times, at once when the network is back, and then fails", async () => {
  const events = browserEvents();
  const { sent, client } = watched(() => Promise.reject(new TypeError("fetch failed")));
  const failed = failure(client.workspace.create.mutate({ name: "Never" }));
  const begun = performance.now();
  for (let tries = 1; tries <= 6; tries += 1) {
    await vi.waitFor(() => expect(sent).toHaveLength(tries));
    await new Promise((resolve) => setTimeout(resolve));
    events.dispatch("online");
  }
  expect(await failed).toMatchObject({ name: "WorkBoardError", code: null });
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(sent).toHaveLength(6);
  expect(new Set(sent).size).toBe(1);
});

test("a mutation waits while there is no network, whatever tab is shown, instead of using its tries up", async () => {
  const navigator = { onLine: false };
  const events = browserEvents(navigator);
  const { sent, client } = watched((send, tried) => (tried === 1 ? Promise.reject(new TypeError("offline")) : send()));
  const created = client.workspace.create.mutate({ name: "Offline" });
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  await new Promise((resolve) => setTimeout(resolve, 600));
  events.dispatch("visibilitychange");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toHaveLength(1);
  navigator.onLine = true;
  events.dispatch("online");
  expect((await created).name).toBe("Offline");
});

test.each([429, 503])(
  "a mutation is sent again after %s, not before Retry-After, whatever tab is shown",
  async (status) => {
    const events = browserEvents();
    const busy = {
      error: { code: -32603, message: "Busy", data: { code: "SERVICE_UNAVAILABLE", httpStatus: status, issues: [] } },
    };
    const at: number[] = [];
    const { client } = watched(async (send, tried) => {
      at.push(performance.now());
      return tried > 1 ? send() : Response.json(busy, { status, headers: { "retry-after": "1" } });
    });
    const created = client.workspace.create.mutate({ name: `Busy ${status}` });
    await vi.waitFor(() => expect(at).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    events.dispatch("visibilitychange");
    await created;
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  },
);

test("a mutation waits a minute at most, however long the service asks it to", async () => {
  const data = { code: "SERVICE_UNAVAILABLE", httpStatus: 503, issues: [] };
  const busy = { error: { code: -32603, message: "Busy", data } };
  const { sent, client } = watched(async (_send, tried) =>
    tried === 1
      ? Response.json(busy, { status: 503, headers: { "retry-after": "3600" } })
      : Response.json({ error: { ...busy.error, data: { ...data, httpStatus: 400 } } }, { status: 400 }),
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = failure(client.workspace.create.mutate({ name: "Never" }));
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  await turns();
  expect(sent).toHaveLength(2);
  await failed;
});

test.each([400, 403, 409, 412, 500])("a mutation is not sent again after %s", async (status) => {
  const answer = {
    error: { code: -32603, message: "No", data: { code: "CONFLICT", httpStatus: status, issues: [] } },
  };
  const { sent, client } = watched(async () => Response.json(answer, { status }));
  expect(await failure(client.workspace.create.mutate({ name: "No" }))).toMatchObject({ status });
  expect(sent).toHaveLength(1);
});

test("a mutation is sent once where the caller wants no retry, or aborts it", async () => {
  const { sent, client } = watched(() => Promise.reject(new TypeError("fetch failed")));
  await failure(client.workspace.create.mutate({ name: "No" }, { context: { retry: false } }));
  expect(sent).toHaveLength(1);
  const ending = new AbortController();
  const aborted = failure(client.workspace.create.mutate({ name: "No" }, { signal: ending.signal }));
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  ending.abort();
  expect(await aborted).toBeInstanceOf(WorkBoardError);
  expect(sent).toHaveLength(2);
});
