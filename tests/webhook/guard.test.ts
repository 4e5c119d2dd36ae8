// Forbidden addresses are never connected to (contract section 6): proven by a trap that listens on every address of this
// machine, by every attempt to connect that node tells of, and by a resolver of the test's own.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Server, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPublicAddress } from "../../src/webhook/addresses.js";
import { send, type WebhookRequest } from "../../src/webhook/sending.js";
import { receiver } from "./receivers.js";

let trap: Server;
let port = 0;
let trapped = 0;
const attempted: string[] = [];
/** Is called at each attempt. */
let onAttempt = () => {};

const watch = (event: unknown) => {
  if (typeof event !== "object" || event === null || !("socket" in event) || !(event.socket instanceof Socket)) return;
  event.socket.on("connectionAttempt", (address: string) => {
    attempted.push(address);
    onAttempt();
  });
};

beforeAll(async () => {
  subscribe("net.client.socket", watch);
  trap = createServer((socket) => {
    trapped += 1;
    socket.destroy();
  });
  // Where there is no IPv6, all of IPv4.
  await new Promise<void>((resolve) => {
    trap.once("error", () => trap.listen(0, "0.0.0.0", resolve));
    trap.listen(0, "::", resolve);
  });
  const address = trap.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => {
  unsubscribe("net.client.socket", watch);
  trap.close();
});

const to = (url: string): WebhookRequest => ({
  id: "000000000000",
  url: url.replace("PORT", String(port)),
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  body: "{}",
});

/** What names lead to, by the first label; each look-up is counted. */
const NAMES: Record<string, string[]> = {
  loopback: ["127.0.0.1"],
  loopback6: ["::1"],
  unspecified: ["0.0.0.0"],
  private10: ["10.0.0.1"],
  private172: ["172.31.255.254"],
  private192: ["192.168.0.1"],
  linklocal: ["fe80::1"],
  metadata: ["169.254.169.254"],
  metadata6: ["fd00:ec2::254"],
  platform: ["168.63.129.16"],
  shared: ["100.100.100.200"],
  mapped: ["::ffff:127.0.0.1"],
  translated: ["64:ff9b::7f00:1"],
  sixtofour: ["2002:7f00:1::1"],
  mixed: ["93.184.215.14", "127.0.0.1"],
  mixed6: ["2606:2800:21f::1", "::1"],
  nowhere: [],
};

const resolve = async (name: string) => NAMES[name.split(".")[0] ?? ""] ?? [];

const LITERAL = [
  "http://localhost:PORT/",
  "http://LocalHost.:PORT/",
  "http://any.localhost:PORT/",
  "http://127.0.0.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://127.255.255.254:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.0x0.0x0.0x1:PORT/",
  "http://017700000001:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://0x7f.1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://①②⑦.0.0.1:PORT/",
  "http://0:PORT/",
  "http://0.0.0.0:PORT/",
  "http://10.0.0.1:PORT/",
  "http://172.16.0.1:PORT/",
  "http://192.168.0.1:PORT/",
  "http://192.0.2.2:PORT/",
  "http://169.254.169.254:PORT/latest/meta-data/",
  "http://0xA9FEA9FE:PORT/",
  "http://168.63.129.16:PORT/",
  "http://100.64.0.1:PORT/",
  "http://198.18.0.1:PORT/",
  "http://224.0.0.1:PORT/",
  "http://240.0.0.1:PORT/",
  "http://255.255.255.255:PORT/",
  "http://[::]:PORT/",
  "http://[::1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::7f00:1]:PORT/",
  "http://[64:ff9b:1::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2001:0:7f00:1::]:PORT/",
  "http://[fe80::1]:PORT/",
  "http://[fec0::1]:PORT/",
  "http://[fd00:ec2::254]:PORT/",
  "http://[ff02::1]:PORT/",
  "http://[2001:db8::1]:PORT/",
  "http://[3fff::1]:PORT/",
  "http://[4000::1]:PORT/",
  "https://127.0.0.1:PORT/",
  "http://user:password@127.0.0.1:PORT/",
  "http://example.org@127.0.0.1:PORT/",
  "ftp://127.0.0.1:PORT/",
  "gopher://127.0.0.1:PORT/",
  "file:///etc/passwd",
  "ws://127.0.0.1:PORT/",
  "data:text/plain,hello",
];

const NAMED = Object.keys(NAMES).flatMap((name) => [
  `http://${name}.example.org:PORT/`,
  `https://${name}.example.org.:PORT/`,
]);

describe("nothing is connected to at", () => {
  test.each([...LITERAL, ...NAMED])("%s", async (url) => {
    trapped = 0;
    attempted.length = 0;
    const { status, error } = await send(to(url), { resolve, allowPrivate: false });
    expect({ status, trapped, attempted }).toEqual({ status: null, trapped: 0, attempted: [] });
    expect(error).toMatch(
      /^(?:The host name resolves to an address that is not public|The host name does not resolve to an address)$/,
    );
  });
});

test("the trap is one: where private addresses are allowed, the same forms fall into it", async () => {
  trapped = 0;
  attempted.length = 0;
  for (const url of ["http://127.1:PORT/", "http://localhost.:PORT/", "http://loopback.example.org:PORT/"]) {
    const known = async () => ["127.0.0.1"];
    expect(await send(to(url), { resolve: known, allowPrivate: true })).toMatchObject({
      error: "The connection failed",
    });
  }
  expect(trapped).toBe(3);
  expect(attempted).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
});

test("a name that changes between check and connection changes nothing: it is asked once, and what was checked is connected to", async () => {
  trapped = 0;
  attempted.length = 0;
  // In a public range and of nobody, so that nothing leaves this machine that anybody would get.
  const checked = "2c0f:ffff:ffff::1";
  expect(isPublicAddress(checked)).toBe(true);
  let asked = 0;
  const limit = new AbortController();
  const rebinding = async () => {
    asked += 1;
    return asked === 1 ? [checked] : ["127.0.0.1"];
  };
  // Time for one more attempt.
  onAttempt = () => setTimeout(() => limit.abort(), 100);
  await send(to("http://rebinding.example.org:PORT/"), { resolve: rebinding, allowPrivate: false }, limit.signal);
  onAttempt = () => {};
  expect({ asked, trapped, attempted }).toEqual({ asked: 1, trapped: 0, attempted: [checked] });
});

test("a redirect leads nowhere", async () => {
  trapped = 0;
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await receiver((res) => res.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end());
    expect(await send(to(url), { resolve, allowPrivate: true })).toMatchObject({ status });
  }
  expect(trapped).toBe(0);
});

test("no proxy of the environment is asked", async () => {
  trapped = 0;
  const { url, received } = await receiver();
  const proxies = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"];
  for (const name of proxies) process.env[name] = `http://127.0.0.1:${port}`;
  process.env.NODE_USE_ENV_PROXY = "1";
  try {
    expect(await send(to(url), { resolve, allowPrivate: true })).toMatchObject({ status: 204, error: null });
  } finally {
    for (const name of [...proxies, "NODE_USE_ENV_PROXY"]) delete process.env[name];
  }
  expect({ trapped, received: received.length }).toEqual({ trapped: 0, received: 1 });
});
