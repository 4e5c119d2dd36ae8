// Those who call the service with the typed client: its package, installed in an empty folder, and what docs/typescript-client.md
// shows.
// @module-tag slow

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { transform } from "esbuild";
import ts from "typescript";
import { afterAll, describe, expect, test } from "vitest";
import { chromiumPath, NO_BROWSER, openContext } from "../helpers/browser.js";
import { call, newStore, serve } from "../helpers/processes.js";
import { example, expectPrinted } from "./guides.js";
import { reachedFrom } from "./imports.js";
import { addPackages, CLIENT_PEERS, folderOf, installedClient, ROOT, run, sizeOf } from "./packing.js";
import { bundled, compile } from "./projects.js";

const TIMEOUT_MS = 180_000;
const GUIDE = "docs/typescript-client.md";
const MEGABYTE = 1_000_000;
const HOOKS = "@trpc/tanstack-react-query";

/** A page of another origin than the service's; what it holds, a test says. */
let page = "";
const site = createServer((_request, response) => response.setHeader("content-type", "text/html").end(page));
await once(site.listen(0, "127.0.0.1"), "listening");
afterAll(() => void site.close());
const address = site.address();
const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

const project = await installedClient();
const { url } = await serve({ ...(await newStore()).env, CORS_ORIGIN: origin }, { until: afterAll });

const numbersIn = (version: string) => (version.match(/\d+/g) ?? []).map(Number);

const write = (name: string, text: string) => writeFile(join(project.folder, name), text);

/** Someone who has a workspace, and in it a board with a card. */
async function newcomer(name: string) {
  const account = { name, email: `${name.toLowerCase()}@example.org`, password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const workspace = (await call(url, token, "POST", "/workspaces", { name: `Engines of ${name}` })).body;
  const board = (await call(url, token, "POST", `/workspaces/${workspace.publicId}/boards`, { name: "Notes" })).body;
  const ideas = (await call(url, token, "POST", "/lists", { name: "Ideas", boardPublicId: board.publicId })).body;
  const card = { title: "Write the first program", listPublicId: ideas.publicId };
  await call(url, token, "POST", "/cards", card);
  return { token, board, as: (program: string) => program.replaceAll("ada@example.org", account.email) };
}

describe("the package", () => {
  test("brings a parser of streams, and takes tRPC from its project: nothing of the service, and less than 5 MB", async () => {
    const peer = "typescript";
    expect([...project.dependencies].sort()).toEqual(
      ["@trpc/client", "@trpc/server", "eventsource-parser", peer].sort(),
    );
    const modules = join(project.folder, "node_modules");
    const bytes = (await sizeOf(modules)) - (await sizeOf(join(modules, peer)));
    expect(bytes).toBeLessThan(5 * MEGABYTE);
  });

  test("has the version of the service, and accepts what the service is built with", () => {
    const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
    const [service, client] = [read("package.json"), read("packages/client/package.json")];
    expect(client.version).toBe(service.version);
    for (const name of ["@trpc/client", "@trpc/server", "react"]) {
      const [major, minor = 0] = numbersIn(read(`node_modules/${name}/package.json`).version);
      const [least, leastMinor = 0] = numbersIn(client.peerDependencies[name]);
      expect([name, least]).toEqual([name, name === "react" ? 18 : major]);
      if (least === major) expect(minor).toBeGreaterThanOrEqual(leastMinor);
    }
    expect(client.dependencies).toEqual({ "eventsource-parser": service.devDependencies["eventsource-parser"] });
    expect(Object.keys(client.peerDependencies)).toEqual(["@trpc/client", "@trpc/server", "react"]);
    expect(client.peerDependenciesMeta).toEqual({ react: { optional: true } });
  });

  test("reaches tRPC and the parser at run time, and no file but its own", async () => {
    const inDist = (file: string) => join(project.installed, "dist", file);
    const { packages, files } = await reachedFrom(inDist("index.js"));
    expect([...packages].sort()).toEqual(["@trpc/client", "@trpc/server", "eventsource-parser"]);
    expect([...files]).toEqual([inDist("index.js"), inDist("client.js")]);
    const webhooks = await reachedFrom(inDist("webhooks/index.js"));
    expect([[...webhooks.files], [...webhooks.packages]]).toEqual([[inDist("webhooks/index.js")], []]);
  });

  test("its replica is one file of less than 14 kB, minified and compressed, and needs the client alone until it shares its stream or stores its queue", async () => {
    const path = join(project.installed, "dist/board/index.js");
    const { files } = await reachedFrom(path);
    const others = ["client.js", "board/sharedStream.js", "board/storedQueue.js"].map((file) =>
      join(project.installed, "dist", file),
    );
    expect([...files].sort()).toEqual([path, ...others].sort());
    const { code } = await transform(readFileSync(path, "utf8"), { minify: true });
    expect(gzipSync(code).length).toBeLessThan(14_000);
  });

  test("its file for browsers is one file of less than 36 kB, compressed, which imports nothing and exports the client and the replica", async () => {
    const path = join(project.installed, "dist/browser.js");
    const { packages, files } = await reachedFrom(path);
    expect([[...files], [...packages]]).toEqual([[path], []]);
    expect(gzipSync(readFileSync(path)).length).toBeLessThan(36_000);
    const exportsOf = async (file: string) => Object.keys(await import(join(project.installed, "dist", file)));
    const [all, ...parts] = await Promise.all(["browser.js", "index.js", "board/index.js"].map(exportsOf));
    expect(all?.toSorted()).toEqual(parts.flat().sort());
  });

  test("its types need tRPC alone", async () => {
    const { packages, files } = await reachedFrom(join(project.installed, "dist/index.d.ts"));
    expect([...packages].sort()).toEqual(["@trpc/client", "@trpc/server"]);
    const shipped = readdirSync(join(project.installed, "dist"));
    for (const file of files) expect(shipped).toContain(basename(file));
  });
});

describe("its types", () => {
  const TYPES = `import { type AppRouter, createClient, metaOf, type RouterInputs, type RouterOutputs, WorkBoardError } from "work-board-client";
import { type Board, type Card, type Event, type EventOf, type EventType, type Permission, permissionsOf } from "work-board-client";
import { pages } from "work-board-client";
import { applyEvent } from "work-board-client/board";
import { verify } from "work-board-client/webhooks";
import { followBoard, type FollowedBoard } from "work-board-client/browser";
import type { inferRouterOutputs } from "@trpc/server";
const client = createClient({ url: "http://localhost:3000", token: "wb_" });
export const names = async (): Promise<string[]> => (await client.workspace.list.query()).map(({ name }) => name);
export const code = (error: WorkBoardError): "NOT_FOUND" | null => (error.code === "NOT_FOUND" ? error.code : null);
export const input: RouterInputs["workspace"]["create"] = { name: "Engines" };
export const titleOf = (card: RouterOutputs["card"]["get"]): string => card.title;
export const same = (card: inferRouterOutputs<AppRouter>["card"]["get"]): RouterOutputs["card"]["get"] => card;
export const moved = (event: EventOf<"card.moved">): string | undefined => event.data.to?.listPublicId;
export const isMoved = (event: Event): event is EventOf<"card.moved"> => event.type === "card.moved";
export const title = (board: Board, card: Card, type: EventType): string => board.name + card.title + type;
export const permissions: readonly Permission[] = permissionsOf("guest");
export const eventId = async (): Promise<number | null> =>
  metaOf(await client.workspace.create.mutate({ name: "Engines" }, { context: { idempotencyKey: "once", retry: false } })).eventId;
export const comments = async (cardPublicId: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { items } of pages(client.card.comments.list.query, { cardPublicId, limit: 100 })) found.push(...items.map(({ comment }) => comment));
  return found;
};
export const eventIds = async (workspacePublicId: string): Promise<number[]> => {
  const found: number[] = [];
  for await (const { items } of pages(client.workspace.events.query, { workspacePublicId })) found.push(...items.map(({ id }) => id));
  return found;
};
export const listOf = async (body: string, headers: Headers): Promise<string | undefined> => {
  const message = await verify(body, headers, "whsec_");
  return message.type === "card.moved" ? message.data.to?.listPublicId : undefined;
};
// @ts-expect-error what is no list has no pages
export const wrongPages = () => pages(client.card.get.query, { cardPublicId: "abcdefghijkl" });
// @ts-expect-error no event has this type
export const wrongEvent = (event: EventOf<"card.burnt">) => event;
// @ts-expect-error there is no such permission
export const wrongPermission: Permission = "card:burn";
export const next = (board: Parameters<typeof applyEvent>[0], event: Parameters<typeof applyEvent>[1]): string =>
  applyEvent(board, event).name;
export const followed = (): FollowedBoard => followBoard(client, "abcdefghijkl");
// @ts-expect-error a number is no name
export const wrongInput = () => client.board.create.mutate({ workspacePublicId: "abcdefghijkl", name: 1 });
// @ts-expect-error a workspace has no colour
export const wrongOutput = async () => (await client.workspace.list.query())[0]?.colour;
// @ts-expect-error there is no such operation
export const wrongPath = () => client.workspace.burn.mutate();
`;

  test.each(["bundler", "node16"] as const)(
    "hold in a new strict project, moduleResolution %s, as the guide's programs do",
    async (module) => {
      await write("types.ts", TYPES);
      const headings = [
        "## First calls",
        "## Changes",
        "## Pages",
        "## Options",
        "## Types",
        "## Streams",
        "## Events as sentences",
        "## Live boards",
        "## Webhooks",
      ];
      const names = headings.map((heading) => `${heading.slice(3).toLowerCase().replaceAll(" ", "")}.ts`);
      for (const [index, heading] of headings.entries()) {
        await write(names[index] ?? "", example(GUIDE, heading, "ts", url));
      }
      expect(await compile(project, module, module, ["types.ts", ...names], "--noEmit")).toBe("");
    },
    TIMEOUT_MS,
  );

  test(
    "show the document's summary of every operation, and its description of every field",
    async () => {
      const { described, shown } = await documentation();
      expect(described.length).toBeGreaterThan(100);
      expect(described.filter((text) => !shown.has(text))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

test(
  "the guide's first calls run on plain Node",
  async () => {
    const grace = await newcomer("Grace");
    const program = example(GUIDE, "## First calls", "ts", url);
    await write("session.ts", grace.as(program));
    await compile(project, "session", "node16", ["session.ts"], "--noCheck");
    expectPrinted(await run(project.folder, process.execPath, ["out/session.js"]), program);
  },
  TIMEOUT_MS,
);

describe.skipIf(chromiumPath === undefined)(`in a page of another origin${NO_BROWSER}`, () => {
  const pageOf = (program: string) =>
    `<!doctype html><title>waiting</title><main></main><script type="module">${program}</script>`;

  /** Runs a program in the page until it has set the title, which it gives. */
  async function titleAfter(program: string): Promise<string> {
    page = pageOf(program);
    const tab = await (await openContext()).newPage();
    await tab.goto(origin);
    await tab.waitForFunction("document.title !== 'waiting'");
    return tab.title();
  }

  test(
    "a bundle calls the service",
    async () => {
      const { token } = await newcomer("Hedy");
      const program = `import { createClient, WorkBoardError } from "work-board-client";
        const client = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} });
        const [workspace] = await client.workspace.list.query();
        const refused = await client.workspace.create.mutate({ name: "" }).catch((error) => error);
        document.title = [workspace?.name, refused instanceof WorkBoardError && refused.code].join(", ");`;
      expect(await titleAfter(await bundled(project, program))).toBe("Engines of Hedy, BAD_REQUEST");
    },
    TIMEOUT_MS,
  );

  test(
    "a change that could not be sent is made once the page is loaded again",
    async () => {
      const { token, board } = await newcomer("Mary");
      const follow = (send: string) => `import { createClient } from "work-board-client";
        import { followBoard, indexedDb } from "work-board-client/board";
        const send = ${send};
        const client = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)}, fetch: send });
        const followed = followBoard(client, ${JSON.stringify(board.publicId)}, { storage: indexedDb() });
        const once = (condition) => new Promise((resolve) => {
          const look = () => condition(followed.state()) ? resolve() : setTimeout(look, 20);
          look();
        });
        await once(({ status }) => status === "live");`;
      const cut = `let tries = 0;
        ${follow(`(url, init) => init?.method === "POST" ? (tries += 1, Promise.reject(new TypeError("cut"))) : fetch(url, init)`)}
        const [cardPublicId] = followed.state().board.lists[0].cardIds;
        void followed.change("card.update", { cardPublicId, title: "Written offline" });
        await once(() => tries > 0);
        document.title = "cut";`;
      const open = `${follow("(url, init) => fetch(url, init)")}
        const titles = ({ board }) => Object.values(board.cards).map(({ title }) => title).join();
        await once((state) => titles(state) === "Written offline" && state.waiting === 0);
        document.title = titles(followed.state());`;
      const tab = await (await openContext()).newPage();
      for (const [program, title] of [
        [cut, "cut"],
        [open, "Written offline"],
      ] as const) {
        page = pageOf(await bundled(project, program));
        await tab.goto(origin);
        // Sooner than a tab counts as gone: the page said that it was left.
        await tab.waitForFunction(`document.title === ${JSON.stringify(title)}`, undefined, { timeout: 8000 });
      }
    },
    TIMEOUT_MS,
  );

  test(
    "the guide's React components compile strictly, and the one with TanStack Query shows a board",
    async () => {
      await addPackages(project, "@tanstack/react-query", "react", "react-dom", "@types/react", "@types/react-dom");
      const { token, board } = await newcomer("Katherine");
      await write("Board.tsx", example(GUIDE, "## React with TanStack Query", "tsx", url));
      await write("Title.tsx", example(GUIDE, "## In React", "tsx", url));
      const options = ["--noEmit", "--jsx", "react-jsx", "--skipLibCheck"];
      expect(await compile(project, "react", "bundler", ["Board.tsx", "Title.tsx"], ...options)).toBe("");
      const program = `import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
        import { createRoot } from "react-dom/client";
        import { Board } from "./Board.tsx";
        sessionStorage.setItem("token", ${JSON.stringify(token)});
        new MutationObserver(() => { document.title = document.querySelector("li") ? document.querySelector("main").innerText : "waiting"; })
          .observe(document.querySelector("main"), { childList: true, subtree: true });
        createRoot(document.querySelector("main")).render(
          <QueryClientProvider client={new QueryClient()}><Board boardPublicId="${board.publicId}" /></QueryClientProvider>);`;
      expect(await titleAfter(await bundled(project, program))).toBe("Ideas: 1");
    },
    TIMEOUT_MS,
  );

  // The hooks ask for one version of tRPC, so that they lie in no repository with another one: CI installs them beside the client.
  test.skipIf(!existsSync(folderOf(HOOKS)))(
    "the guide's component with tRPC's hooks compiles strictly, and changes a board",
    async () => {
      await addPackages(
        project,
        HOOKS,
        "@tanstack/react-query",
        "react",
        "react-dom",
        "@types/react",
        "@types/react-dom",
      );
      const { token, board } = await newcomer("Radia");
      await write("BoardName.tsx", example(GUIDE, "## tRPC's own client and hooks", "tsx", url));
      const options = ["--noEmit", "--jsx", "react-jsx", "--skipLibCheck"];
      expect(await compile(project, "hooks", "bundler", ["BoardName.tsx"], ...options)).toBe("");
      const program = `import { createRoot } from "react-dom/client";
        import { BoardName } from "./BoardName.tsx";
        sessionStorage.setItem("token", ${JSON.stringify(token)});
        new MutationObserver(() => {
          const name = document.querySelector("button")?.innerText;
          if (name === "Notes") document.querySelector("button").click();
          if (name === "Renamed") document.title = name;
        }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
        createRoot(document.querySelector("main")).render(<BoardName boardPublicId="${board.publicId}" />);`;
      expect(await titleAfter(await bundled(project, program))).toBe("Renamed");
    },
    TIMEOUT_MS,
  );
});

/**
 * What the document says of operations and of the fields at the top of their inputs and outputs, and what a compiler finds at the
 * same places in the client's types; each with its place.
 */
async function documentation() {
  const document = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8"));
  const described = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => textsOf(document, operation)),
  );
  await write(
    "places.ts",
    `import { createClient, type RouterInputs, type RouterOutputs } from "work-board-client";
export const client = createClient({ url: "" });
export declare const inputs: RouterInputs;
export declare const outputs: RouterOutputs;
`,
  );
  const file = join(project.folder, "places.ts");
  const program = ts.createProgram([file], {
    strict: true,
    module: ts.ModuleKind.Node16,
    target: ts.ScriptTarget.ESNext,
    types: [],
    skipLibCheck: CLIENT_PEERS !== undefined,
  });
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const places = new Map(module && checker.getExportsOfModule(module).map((place) => [place.name, place]));
  const shown = new Set<string>();
  const walk = (symbol: ts.Symbol | undefined, path: string[], depth: number) => {
    if (symbol === undefined || source === undefined || depth > 4) return;
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    const [summary = ""] = text.split("\n\n");
    for (const part of [text, summary]) shown.add(`${path.join(".")}: ${part}`);
    const type = checker.getTypeOfSymbolAtLocation(symbol, source);
    const properties = (type.isUnion() ? type.types : [type]).flatMap((part) => part.getProperties());
    for (const property of properties) walk(property, [...path, property.name], depth + 1);
  };
  for (const name of ["client", "inputs", "outputs"]) walk(places.get(name), [name], 0);
  return { described, shown };
}

interface Described {
  name?: string;
  description?: string;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters?: Described[];
  requestBody?: { content: Record<string, { schema: Fields }> };
  responses: Record<string, { content?: Record<string, { schema: Fields }> }>;
}

interface Fields {
  properties?: Record<string, Described>;
}

/** The texts of an operation that the types are to show: its summary, and the descriptions of its fields. */
function textsOf(document: unknown, { operationId, summary, parameters = [], requestBody, responses }: Operation) {
  const path = operationId.replaceAll("_", ".");
  const ofBody = Object.entries(schemaIn(document, requestBody?.content)?.properties ?? {});
  const ofAnswer = Object.entries(schemaIn(document, responses["200"]?.content)?.properties ?? {});
  const fieldOf = ({ name }: Described) => (name === "Last-Event-ID" ? "lastEventId" : name);
  const inputs = [...parameters.map((parameter) => [fieldOf(parameter), parameter] as const), ...ofBody];
  const text =
    (place: string) =>
    ([name, { description }]: readonly [string | undefined, Described]) =>
      name !== undefined && description !== undefined ? [`${place}.${path}.${name}: ${description}`] : [];
  return [`client.${path}: ${summary}.`, ...inputs.flatMap(text("inputs")), ...ofAnswer.flatMap(text("outputs"))];
}

/** The schema of a JSON body, itself or where it refers to. */
function schemaIn(document: unknown, content: Record<string, { schema: Fields }> | undefined): Fields | undefined {
  const schema = content?.["application/json"]?.schema;
  const reference: unknown = Reflect.get(Object(schema), "$ref");
  if (typeof reference !== "string") return schema;
  return reference
    .slice(2)
    .split("/")
    .reduce((outer, key) => Reflect.get(Object(outer), key), document as Fields);
}
