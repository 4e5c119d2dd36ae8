// The page (clients.md section 3): the files that Vite built from `packages/web`, and `index.html` under every address that may be
// one of its routes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "./errors.js";
import { pathOf, UNCOUNTED } from "./paths.js";
import { Rendered } from "./rendered.js";
import { headerOf } from "./requestOptions.js";
import { sendRendered } from "./rest.js";

/** Nothing is inline, and nothing comes from another host: a picture elsewhere would tell that host who looks at which board. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** One year: the name of an asset changes with its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const ASSETS = "/assets";
/** Addresses of the service, at and below which no route of the page is. */
const OF_SERVICE = [
  ...["/api", "/trpc", "/docs", "/guides", "/feeds", "/mcp", ASSETS, "/openapi.json", "/llms.txt", "/health", "/ready"],
  ...["/metrics", "/.well-known"],
];
/** The pages that search engines may index. */
const INDEXED = "/public/boards/";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The encodings that the build makes, best first, by the ends of their file names. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Whether a list of a header, such as `text/html;q=0.9, br`, names one of these and does not weigh it 0. */
const names = (list: string, ...wanted: string[]) =>
  list.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return wanted.includes(name) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** The built page. */
export class WebPage {
  readonly #index: Rendered;

  private constructor(folder: URL) {
    this.#index = Rendered.from(readFileSync(new URL("index.html", folder)));
  }

  /** Serves the assets of a folder. Gives null where nothing was built there. */
  static in(folder: URL, app: FastifyInstance): WebPage | null {
    if (!existsSync(new URL("index.html", folder))) return null;
    serveAssets(app, new URL("assets/", folder));
    return new WebPage(folder);
  }

  /** Whether a request that no route fits may be for a route of the page. */
  isFor(request: FastifyRequest): boolean {
    const path = pathOf(request).replace(/\/{2,}/g, "/");
    return (
      (request.method === "GET" || request.method === "HEAD") &&
      !path.slice(path.lastIndexOf("/")).includes(".") &&
      !OF_SERVICE.some((base) => path === base || path.startsWith(`${base}/`)) &&
      names(headerOf(request, "accept") ?? "", "text/html", "text/*", "*/*")
    );
  }

  /** Answers with `index.html`. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.type("text/html; charset=utf-8").header("content-security-policy", POLICY);
    if (!pathOf(request).startsWith(INDEXED)) reply.header("x-robots-tag", "noindex");
    return sendRendered(request, reply, this.#index, "no-cache");
  }
}

/** Serves the files of a folder, and those that are the same in another encoding to clients that take it. */
function serveAssets(app: FastifyInstance, folder: URL): void {
  const assets = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]));
  app.get<{ Params: { name: string } }>(`${ASSETS}/:name`, UNCOUNTED, async (request, reply) => {
    const { name } = request.params;
    const plain = assets.get(name);
    const type = TYPES[extname(name)];
    if (plain === undefined || type === undefined) throw notFound();
    reply.type(type).header("cache-control", IMMUTABLE).header("vary", "Accept-Encoding");
    const accepted = headerOf(request, "accept-encoding") ?? "";
    for (const [encoding, end] of ENCODINGS) {
      const encoded = assets.get(name + end);
      if (encoded === undefined || !names(accepted, encoding)) continue;
      return reply.header("content-encoding", encoding).send(encoded);
    }
    return reply.send(plain);
  });
}
