// Cuts the server out of the built client's types. The router's type names what its procedures are given; who only calls them
// has no use for it, and need not have the types of Fastify, Drizzle and the databases to compile.

import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../dist/router.d.ts", import.meta.url);
const INSIDE = /import\("\.\/api\/(?:context\.js"\)\.Context|trpc\.js"\)\.Meta)/g;

writeFileSync(file, readFileSync(file, "utf8").replace(INSIDE, "object"));
