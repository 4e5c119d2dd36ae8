// The generators that docs/generated-clients.md lists beside openapi-typescript. Each reads the committed openapi.json; what it
// generates compiles strictly and calls the service. They are installed from the registry, at the versions of generators/package-lock.json,
// and not as devDependencies, because with their dependencies they take 340 MB.
// @module-tag slow

import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, newStore, serve } from "../helpers/processes.js";
import { blocks, section } from "./guides.js";
import { newFolder, ROOT, run, tsc } from "./packing.js";
import { strict } from "./projects.js";

const TIMEOUT_MS = 180_000;
const GUIDE = "docs/generated-clients.md";
const HEADING = "## Other generators";
const DOCUMENT = "http://localhost:3000/openapi.json";
/** The environment variables that tell npm how to reach the registry. */
const REGISTRY = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = ""]) =>
    /^npm_config_(registry|cache|userconfig)$|proxy$|_extra_ca_certs$/i.test(name) ? [[name, value]] : [],
  ),
);

const folder = await newFolder();
const { url } = await serve((await newStore()).env, { until: afterAll });
const base = `${url}/api/v1`;
const account = { email: "ada@example.org", password: "correct horse battery" };
const TITLE = "Launch 🚀";
const UNKNOWN = "aaaaaaaaaaaa";

const write = (name: string, text: string) => writeFile(join(folder, name), text);

beforeAll(async () => {
  await cp(join(ROOT, "tests/consumers/generators"), folder, { recursive: true });
  await cp(join(ROOT, "openapi.json"), join(folder, "openapi.json"));
  await run(folder, "npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], REGISTRY);
  await call(url, null, "POST", "/auth/sign-up", { name: "Ada", ...account });
}, TIMEOUT_MS);

/** The rows of the guide's table: each package with its version, and the command that runs it. */
const rows = [...section(GUIDE, HEADING).matchAll(/^\| (\S+) (\S+) \| `npx (.*)` \|/gm)].map(
  ([, name = "", version = "", command = ""]) => ({ name, version, command }),
);

async function generate(generator: string): Promise<void> {
  const row = rows.find(({ name }) => name === generator);
  if (row === undefined) throw new Error(`${GUIDE} has no row for ${generator}`);
  const [command = "", ...args] = row.command.replace(DOCUMENT, "openapi.json").split(" ");
  await run(folder, join(folder, "node_modules/.bin", command), args);
}

/** Compiles a program strictly with what it imports, runs it, and gives the JSON that it prints. */
async function runStrictly(program: string): Promise<unknown> {
  await write("program.ts", program);
  const { compilerOptions, files } = strict("bundler", "program.ts");
  // The client of hey-api does not compile with exactOptionalPropertyTypes, whatever the document.
  const own = { ...compilerOptions, exactOptionalPropertyTypes: false, skipLibCheck: true, noEmit: true };
  await write("tsconfig.json", JSON.stringify({ compilerOptions: own, files }));
  await tsc(folder, "-p", ".");
  const outfile = join(folder, "program.mjs");
  const entryPoints = [join(folder, "program.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
  return JSON.parse(await run(folder, process.execPath, [outfile]));
}

const programOf = (imports: string, body: string) => `${imports}
const base = ${JSON.stringify(base)};
const { email, password } = ${JSON.stringify(account)};
const title = ${JSON.stringify(TITLE)};
const unknown = ${JSON.stringify(UNKNOWN)};
const lists = ["Ideas"];
${body}
const titles: string[] = read.lists.flatMap(({ cards }) => cards.map((card) => card.title));
console.log(JSON.stringify({ titles, list: card.list?.name, refused }));
`;

const PROGRAMS = {
  "openapi-zod-client": programOf(
    `import { isErrorFromAlias } from "@zodios/core";
import { createApiClient } from "./zodios";`,
    `const { accessToken } = await createApiClient(base).user_signIn({ email, password });
const api = createApiClient(base, { axiosConfig: { headers: { Authorization: "Bearer " + accessToken } } });
const { publicId: workspacePublicId } = await api.workspace_create({ name: title });
const { publicId: boardPublicId } = await api.board_create({ name: title, lists }, { params: { workspacePublicId } });
const [list] = (await api.board_get({ params: { boardPublicId } })).lists;
const { publicId: cardPublicId } = await api.card_create({ title, listPublicId: list?.publicId ?? "" });
const read = await api.board_get({ params: { boardPublicId } });
const card = await api.card_get({ params: { cardPublicId } });
const refused = await api
  .workspace_get({ params: { workspacePublicId: unknown } })
  .catch((error) => (isErrorFromAlias(api.api, "workspace_get", error) ? error.response.data.code : String(error)));`,
  ),
  "@hey-api/openapi-ts": programOf(
    `import { boardCreate, boardGet, cardCreate, cardGet, userSignIn, workspaceCreate, workspaceGet } from "./hey";
import { client } from "./hey/client.gen";`,
    `client.setConfig({ baseUrl: base });
const signedIn = await userSignIn({ body: { email, password }, throwOnError: true });
client.setConfig({ auth: signedIn.data.accessToken });
const workspace = (await workspaceCreate({ body: { name: title }, throwOnError: true })).data;
const path = { workspacePublicId: workspace.publicId };
const board = (await boardCreate({ path, body: { name: title, lists }, throwOnError: true })).data;
const get = async () => (await boardGet({ path: { boardPublicId: board.publicId }, throwOnError: true })).data;
const listPublicId = (await get()).lists[0]?.publicId ?? "";
const { publicId: cardPublicId } = (await cardCreate({ body: { title, listPublicId }, throwOnError: true })).data;
const read = await get();
const card = (await cardGet({ path: { cardPublicId }, throwOnError: true })).data;
const refused = (await workspaceGet({ path: { workspacePublicId: unknown } })).error?.code;`,
  ),
  "swagger-typescript-api": programOf(
    `import { Api, type ErrorBody, type HttpResponse } from "./swagger/api";`,
    `const api = new Api<string>({ baseUrl: base, securityWorker: (token) => ({ headers: { Authorization: "Bearer " + token } }) });
api.setSecurityData((await api.auth.userSignIn({ email, password })).data.accessToken ?? null);
const workspace = (await api.workspaces.workspaceCreate({ name: title })).data;
const board = (await api.workspaces.boardCreate(workspace.publicId, { name: title, lists })).data;
const get = async () => (await api.boards.boardGet(board.publicId)).data;
const listPublicId = (await get()).lists[0]?.publicId ?? "";
const created = (await api.cards.cardCreate({ title, listPublicId })).data;
const read = await get();
const card = (await api.cards.cardGet(created.publicId)).data;
const refused = await api.workspaces
  .workspaceGet(unknown)
  .then(() => null, (response: HttpResponse<unknown, ErrorBody>) => response.error.code);`,
  ),
  "openapi-typescript-codegen": programOf(
    `import { AccountsService, ApiError, BoardsService, CardsService, OpenAPI, WorkspacesService } from "./codegen";`,
    `OpenAPI.BASE = base;
const { accessToken } = await AccountsService.userSignIn({ email, password });
OpenAPI.TOKEN = accessToken ?? "";
const { publicId: workspacePublicId } = await WorkspacesService.workspaceCreate({ name: title });
const { publicId: boardPublicId } = await BoardsService.boardCreate(workspacePublicId, { name: title, lists });
const get = () => BoardsService.boardGet(boardPublicId);
const listPublicId = (await get()).lists[0]?.publicId ?? "";
const created = await CardsService.cardCreate({ title, listPublicId });
const read = await get();
const card = await CardsService.cardGet(created.publicId);
const refused = await WorkspacesService.workspaceGet(unknown)
  .then(() => null, (error: unknown) => (error instanceof ApiError ? error.body.code : String(error)));`,
  ),
  orval: programOf(
    `import { boardCreate, boardGet, cardCreate, cardGet, userSignIn, workspaceCreate, workspaceGet } from "./orval";
import * as schemas from "./orvalZod";`,
    `const signedIn = await userSignIn(schemas.userSignInBody.parse({ email, password }));
const { accessToken } = schemas.userSignInResponse.parse(signedIn.data);
const options = { headers: { Authorization: "Bearer " + accessToken } };
const named = schemas.workspaceCreateBody.parse({ name: title });
const workspace = schemas.workspaceCreateResponse.parse((await workspaceCreate(named, options)).data);
const body = schemas.boardCreateBody.parse({ name: title, lists });
const board = schemas.boardCreateResponse.parse((await boardCreate(workspace.publicId, body, options)).data);
const get = async () =>
  schemas.boardGetResponse.parse((await boardGet(board.publicId, undefined, options)).data);
const listPublicId = (await get()).lists[0]?.publicId ?? "";
const made = await cardCreate(schemas.cardCreateBody.parse({ title, listPublicId }), options);
const read = await get();
const card = schemas.cardGetResponse.parse((await cardGet(schemas.cardCreateResponse.parse(made.data).publicId, options)).data);
const answer = await workspaceGet(unknown, options);
const refused = answer.status === 404 ? answer.data.code : null;`,
  ),
};

test("the guide lists the versions that are tested", async () => {
  const { dependencies } = JSON.parse(
    await run(folder, process.execPath, ["-p", "JSON.stringify(require('./package.json'))"]),
  );
  const listed = Object.fromEntries(rows.map(({ name, version }) => [name, version]));
  expect(dependencies).toMatchObject(listed);
  expect(Object.keys(listed).sort()).toEqual(Object.keys(PROGRAMS).sort());
});

describe("a client of a generator compiles strictly and calls the service", () => {
  test.each(Object.entries(PROGRAMS))(
    "%s",
    async (name, program) => {
      const [config = ""] = blocks(section(GUIDE, HEADING), "js");
      await write("orval.config.mjs", config.replace(DOCUMENT, "openapi.json").replace("http://localhost:3000", url));
      await generate(name);
      expect(await runStrictly(program)).toEqual({
        titles: [TITLE],
        list: "Ideas",
        refused: "NOT_FOUND",
      });
    },
    TIMEOUT_MS,
  );
});
