// The WebKit of Debian in its smallest browser, over WebDriver, on a screen of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { isExecutable, programNamed } from "../../../scripts/executables.js";
import type { Driver } from "./driver.js";

const miniBrowser = ["x86_64", "aarch64"]
  .map((arch) => `/usr/lib/${arch}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
  .find(isExecutable);
const [driverPath, screenPath] = [programNamed("WebKitWebDriver"), programNamed("Xvfb")];

/** Whether the browser, its driver and a screen for it are installed. */
export const hasWebKit = [miniBrowser, driverPath, screenPath].every((path) => path !== undefined);

/** The keys that are no letters, as WebDriver numbers them. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: "\uE007",
  Escape: "\uE00C",
  Tab: "\uE004",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
};
const STARTS_WITHIN_MS = 10_000;
const POLL_MS = 50;
const MOUSE_STEPS = 4;
/** The browser skips moves that come faster than it draws. */
const STEP_MS = 20;

function startProgram(path: string | undefined, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(path ?? "", args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  return child;
}

/** Starts a screen. Returns its name. */
async function startScreen(): Promise<string> {
  const args = ["-displayfd", "1", "-screen", "0", "1440x1000x24", "-nolisten", "tcp"];
  const { stdout } = startProgram(screenPath, args, {});
  if (stdout === null) throw new Error("The screen has no output");
  const [number] = await once(stdout, "data");
  return `:${String(number).trim()}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The port has no number");
  return address.port;
}

/** Sends commands to a driver; throws what it answers as an error. */
const commandsTo = (base: string) => async (method: "GET" | "POST" | "DELETE", path: string, body?: object) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: Record<string, unknown> | null };
  if (!response.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`);
  return value;
};

/** Starts the driver and the browser. Returns what sends commands to its session. */
async function startSession() {
  const port = await freePort();
  startProgram(driverPath, [`--port=${port}`], {
    DISPLAY: await startScreen(),
    // Neither a GPU nor a bus for screen readers is there.
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    NO_AT_BRIDGE: "1",
    // Its sandbox cannot be had as root, which is what runs in containers.
    ...(process.getuid?.() === 0 && { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" }),
  });
  const command = commandsTo(`http://127.0.0.1:${port}`);
  const end = Date.now() + STARTS_WITHIN_MS;
  while (
    await command("GET", "/status").then(
      () => false,
      () => true,
    )
  ) {
    if (Date.now() > end) throw new Error("WebKitWebDriver does not answer");
    await sleep(POLL_MS);
  }
  const options = { binary: miniBrowser, args: ["--automation"] };
  const alwaysMatch = { browserName: "MiniBrowser", "webkitgtk:browserOptions": options };
  const session = await command("POST", "/session", { capabilities: { alwaysMatch } });
  const path = `/session/${session?.sessionId}`;
  onTestFinished(async () => void (await command("DELETE", path)));
  return (name: string, body: object) => command("POST", path + name, body);
}

/** A page in a new WebKit. Its console cannot be read. */
export async function openWebKit(): Promise<Driver> {
  const post = await startSession();
  let mouse = { x: 0, y: 0 };
  await post("/window/rect", { width: 1440, height: 900 });
  const act = (type: "key" | "pointer", actions: object[]) =>
    post("/actions", {
      actions: [{ type, id: type, actions, ...(type === "pointer" && { parameters: { pointerType: "mouse" } }) }],
    });
  const pressed = (values: readonly string[]) => [
    ...values.map((value) => ({ type: "keyDown", value })),
    ...values.toReversed().map((value) => ({ type: "keyUp", value })),
  ];
  return {
    open: async (url) => void (await post("/url", { url })),
    evaluate: (expression) => post("/execute/sync", { script: `return ${expression}`, args: [] }),
    press: async (keys) => void (await act("key", pressed(keys.split("+").map((name) => KEYS[name] ?? name)))),
    type: async (text) =>
      void (await act(
        "key",
        [...text].flatMap((letter) => pressed([letter])),
      )),
    async moveTo(point) {
      const moves = Array.from({ length: MOUSE_STEPS }, (_, step) => {
        const part = (step + 1) / MOUSE_STEPS;
        const [x, y] = [mouse.x + (point.x - mouse.x) * part, mouse.y + (point.y - mouse.y) * part];
        return { type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: STEP_MS };
      });
      await act("pointer", moves);
      mouse = point;
    },
    mouseDown: async () => void (await act("pointer", [{ type: "pointerDown", button: 0 }])),
    mouseUp: async () => void (await act("pointer", [{ type: "pointerUp", button: 0 }])),
  };
}
